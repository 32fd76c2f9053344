"""Moving averages of weights in states against their definition.

usage: check_averages.py chain DECAY FIRST STATES...
       check_averages.py fresh DECAY FIRST STATES...
       check_averages.py beside PLAIN STATE
       check_averages.py swap STATE OUT
       check_averages.py same STATE OTHER
       check_averages.py names STATE PATTERN...

chain: STATES are those after 1, 2, ... steps of a run that begins with the
variables of FIRST. Each average must be that of
average += (1 - DECAY) * (value - average) in f32, to the bit, and near that of
DECAY * average + (1 - DECAY) * value in double precision.
fresh: as chain, but running statistics begin with 0 and 1.
beside: STATE has the tensors of PLAIN and averages, no others.
swap: writes the averages under the names of their variables.
same: the averages of both states are equal, and not those of the weights.
names: exactly the variables that begin with a PATTERN have averages.
"""
import json
import struct
import sys


def read(path):
    content = open(path, "rb").read()
    length, = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + at for at in entry["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 4}f", content[begin:end])
        tensors[name] = entry["shape"], values
    return tensors


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def averages(tensors):
    return {name[:-4]: values for name, (_, values) in tensors.items()
            if name.endswith(".ema")}


def fresh(decay, first, *states):
    start = read(first)
    for name, (shape, values) in start.items():
        for ending, value in ("running_mean", 0.0), ("running_var", 1.0):
            if name.endswith(ending):
                start[name] = shape, (value,) * len(values)
    follow(float(decay), start, states)


def chain(decay, first, *states):
    follow(float(decay), read(first), states)


def follow(decay, start, states):
    share = single(1 - decay)
    known, exact = {}, {}
    for count, path in enumerate(states, 1):
        state = read(path)
        found = averages(state)
        assert len(found) > 2, sorted(state)
        for name, values in found.items():
            if count == 1:
                known[name] = exact[name] = start[name][1]
            now = state[name][1]
            known[name] = tuple(single(old + single(share * single(new - old)))
                                for old, new in zip(known[name], now))
            exact[name] = [decay * old + (1 - decay) * new
                           for old, new in zip(exact[name], now)]
            assert known[name] == values, (path, name)
            assert values != now, (path, name, "stands where the variable is")
            for a, b in zip(values, exact[name]):
                assert abs(a - b) <= 1e-6 * max(1, abs(b)), (path, name, a, b)
    print(len(found), "averages hold")


def beside(plain, path):
    without, state = read(plain), read(path)
    assert without.items() <= state.items()
    assert len(state) == len(without) + len(averages(state)) > len(without)


def swap(path, out):
    data, header, state = b"", {}, read(path)
    found = averages(state)
    for name, (shape, values) in state.items():
        if name.endswith(".ema") or name.endswith(".momentum_buffer"):
            continue
        part = struct.pack(f"<{len(values)}f", *found.get(name, values))
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(out, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def same(path, other):
    one, two = averages(read(path)), averages(read(other))
    assert one and one == two, (one, two)
    weights = read(path)
    assert any(weights[name][1] != values for name, values in one.items())


def names(path, *patterns):
    state = read(path)
    wanted = {name for name in state if name.startswith(patterns)
              and not name.endswith((".ema", ".momentum_buffer"))}
    assert wanted and wanted == set(averages(state)), sorted(averages(state))


{"chain": chain, "fresh": fresh, "beside": beside, "swap": swap, "same": same,
 "names": names}[sys.argv[1]](*sys.argv[2:])
