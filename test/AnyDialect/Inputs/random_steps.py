"""Random steps of linalg, tensor, memref, bufferization, scf and calls: a
forward part, and a backward part that reads it from the end to the start.

`Step(seed).text` is the function @step and what it calls, `.main` the body of a
program that runs it, prints the bytes that it holds and digests of its results
and of the memory that it was given.
"""

import random

A, B, V, F = "16x16", "8x16", "16", "256"
UNARY = ["tanh", "negf", "abs", "square"]
BINARY = ["add", "sub", "mul", "max"]
ID = "affine_map<(i, j) -> (i, j)>"
ROW = "affine_map<(i, j) -> (i)>"
COLUMN = "affine_map<(i, j) -> (j)>"
PARALLEL = '["parallel", "parallel"]'


def tensor(shape):
    return f"tensor<{shape}xf32>"


class Step:
    def __init__(self, seed, memory=True, calls=True):
        self.rng = random.Random(seed)
        self.seed = seed
        self.lines, self.callees = [], []
        self.values = {A: [], B: [], V: [], F: []}
        self.empties = {A: [], B: [], V: [], F: []}
        self.scalars = ["%half"]
        self.memrefs = []  # names of memref<16x16xf32>
        self.untaken = []  # memrefs no tensor was made of
        self.count = 0
        self.has_memory = memory and self.rng.random() < 0.5
        self.has_calls = calls and self.rng.random() < 0.25
        self.build()

    def name(self, stem="v"):
        self.count += 1
        return f"%{stem}{self.count}"

    def emit(self, text):
        self.lines.append("  " + text)

    def make(self, shape, text):
        """Emits an op with one result, a tensor of `shape`."""
        value = self.name()
        self.emit(f"{value} = {text}")
        self.values[shape].append(value)
        return value

    def pick(self, shape):
        values = self.values[shape]
        if not values:
            return self.make(shape, f"tensor.splat %half : {tensor(shape)}")
        return self.rng.choice(values[-4:] if self.rng.random() < 0.7 else values)

    def destination(self, shape):
        """A new empty tensor, one that others write too, or a value."""
        chance = self.rng.random()
        if chance < 0.3 and self.values[shape]:
            return self.pick(shape)
        if chance < 0.6 and self.empties[shape]:
            return self.rng.choice(self.empties[shape])
        value = self.name("e")
        self.emit(f"{value} = tensor.empty() : {tensor(shape)}")
        self.empties[shape].append(value)
        return value

    def written(self, shape):
        """A destination that has elements: some op adds to them."""
        if self.rng.random() < 0.4:
            return self.pick(shape)
        scalar = self.rng.choice(self.scalars)
        type_ = tensor(shape)
        return self.make(shape, f"linalg.fill ins({scalar} : f32) outs({self.destination(shape)} : {type_}) -> {type_}")

    # Ops on values.

    def unary(self):
        shape = self.rng.choice([A, A, A, B, V, F])
        self.unary_of(shape, self.pick(shape))

    def unary_of(self, shape, value):
        type_, kind = tensor(shape), self.rng.choice(UNARY)
        self.make(shape, f"linalg.{kind} ins({value} : {type_}) outs({self.destination(shape)} : {type_}) -> {type_}")

    def binary(self):
        shape = self.rng.choice([A, A, A, B, V])
        self.binary_of(shape, self.pick(shape), self.pick(shape))

    def binary_of(self, shape, left, right):
        type_, kind = tensor(shape), self.rng.choice(BINARY)
        return self.make(shape, f"linalg.{kind} ins({left}, {right} : {type_}, {type_}) outs({self.destination(shape)} : {type_}) -> {type_}")

    def matmul(self):
        type_, left, right = tensor(A), self.pick(A), self.pick(A)
        product = self.make(A, f"linalg.matmul ins({left}, {right} : {type_}, {type_}) outs({self.written(A)} : {type_}) -> {type_}")
        self.unary_of(A, product)

    def generic(self):
        """Two results, at times over one destination."""
        type_, value = tensor(A), self.pick(A)
        first = self.destination(A)
        second = first if self.rng.random() < 0.5 else self.destination(A)
        made = self.name()
        self.emit(
            f"{made}:2 = linalg.generic {{indexing_maps = [{ID}, {ID}, {ID}], iterator_types = {PARALLEL}}} "
            f"ins({value} : {type_}) outs({first}, {second} : {type_}, {type_}) {{ "
            f"^bb0(%i: f32, %o: f32, %r: f32): %s = arith.mulf %i, %half : f32 %t = math.tanh %i : f32 linalg.yield %s, %t : f32, f32 }} -> ({type_}, {type_})"
        )
        self.values[A] += [f"{made}#0", f"{made}#1"]

    def reduce(self):
        type_ = tensor(V)
        dims = self.rng.choice("01")
        self.make(V, f"linalg.reduce {{ arith.addf }} ins({self.pick(A)} : {tensor(A)}) outs({self.written(V)} : {type_}) dimensions = [{dims}]")

    def broadcast(self):
        dims = self.rng.choice("01")
        self.make(A, f"linalg.broadcast ins({self.pick(V)} : {tensor(V)}) outs({self.destination(A)} : {tensor(A)}) dimensions = [{dims}]")

    def transpose(self):
        self.make(A, f"linalg.transpose ins({self.pick(A)} : {tensor(A)}) outs({self.destination(A)} : {tensor(A)}) permutation = [1, 0]")

    def slice(self):
        low = self.rng.choice("08")
        self.make(B, f"tensor.extract_slice {self.pick(A)}[{low}, 0] [8, 16] [1, 1] : {tensor(A)} to {tensor(B)}")

    def insert(self):
        low = self.rng.choice("08")
        self.make(A, f"tensor.insert_slice {self.pick(B)} into {self.pick(A)}[{low}, 0] [8, 16] [1, 1] : {tensor(B)} into {tensor(A)}")

    def flatten(self):
        flat = self.make(F, f"tensor.collapse_shape {self.pick(A)} [[0, 1]] : {tensor(A)} into {tensor(F)}")
        if self.rng.random() < 0.5:
            self.unary_of(F, flat)

    def unflatten(self):
        self.make(A, f"tensor.expand_shape {self.pick(F)} [[0, 1]] output_shape [16, 16] : {tensor(F)} into {tensor(A)}")

    def cast(self):
        dynamic = self.name()
        self.emit(f"{dynamic} = tensor.cast {self.pick(A)} : {tensor(A)} to tensor<?x16xf32>")
        self.make(A, f"tensor.cast {dynamic} : tensor<?x16xf32> to {tensor(A)}")

    def pad(self):
        value, reads = self.rng.choice(self.scalars), ""
        if self.memrefs and self.rng.random() < 0.5:
            reads, value = f"%l = memref.load {self.rng.choice(self.memrefs)}[%i, %j] : memref<{A}xf32> ", "%l"
        self.make(A, f"tensor.pad {self.pick(B)} low[8, 0] high[0, 0] {{ ^bb0(%i: index, %j: index): {reads}tensor.yield {value} : f32 }} : {tensor(B)} to {tensor(A)}")

    def generate(self):
        scalar = self.rng.choice(self.scalars)
        self.make(A, f"tensor.generate {{ ^bb0(%i: index, %j: index): %a = arith.index_cast %i : index to i32 %b = arith.sitofp %a : i32 to f32 %c = arith.mulf %b, {scalar} : f32 tensor.yield %c : f32 }} : {tensor(A)}")

    def splat(self):
        shape = self.rng.choice([A, V])
        self.make(shape, f"tensor.splat {self.rng.choice(self.scalars)} : {tensor(shape)}")

    def constant(self):
        shape = self.rng.choice([A, B, V])
        self.make(shape, f"arith.constant dense<0.{self.rng.randint(1, 9)}> : {tensor(shape)}")

    def element(self):
        scalar = self.name("s")
        at = self.rng.choice(["%c0", "%c1"])
        self.emit(f"{scalar} = tensor.extract {self.pick(A)}[{at}, %c1] : {tensor(A)}")
        self.scalars.append(scalar)
        if self.rng.random() < 0.5:
            self.make(A, f"tensor.insert {scalar} into {self.pick(A)}[%c1, {at}] : {tensor(A)}")

    def select(self):
        left, right = self.pick(A), self.pick(A)
        self.make(A, f"arith.select %flag, {left}, {right} : {tensor(A)}")

    def reshape(self):
        self.make(F, f"tensor.reshape {self.pick(A)}(%shape) : ({tensor(A)}, tensor<1xindex>) -> {tensor(F)}")

    # Regions.

    def in_region(self, ops):
        """Lines of a region that sees all values, and one of its values."""
        outer = {shape: list(values) for shape, values in self.values.items()}
        empties = {shape: list(values) for shape, values in self.empties.items()}
        scalars, lines = list(self.scalars), self.lines
        self.lines = []
        for _ in range(self.rng.randint(0, 2)):
            self.rng.choice(ops)()
        yielded, body = self.pick(A), self.lines
        self.values, self.empties, self.scalars, self.lines = outer, empties, scalars, lines
        return " ".join(line.strip() for line in body), yielded

    def branch(self):
        inner = [self.unary, self.binary, self.matmul, self.slice, self.splat]
        taken, first = self.in_region(inner)
        other, second = self.in_region(inner)
        self.make(A, f"scf.if %flag -> ({tensor(A)}) {{ {taken} scf.yield {first} : {tensor(A)} }} else {{ {other} scf.yield {second} : {tensor(A)} }}")

    def loop(self):
        """Carries a tensor that each iteration adds to."""
        type_, start = tensor(A), self.written(A)
        made, left = "", self.pick(A)
        if self.rng.random() < 0.6:
            made, left = self.in_region([self.unary, self.binary, self.matmul])
        body = f"%y = linalg.matmul ins({left}, {self.pick(A)} : {type_}, {type_}) outs(%carried : {type_}) -> {type_}"
        if self.rng.random() < 0.4:
            body += f" %z = linalg.tanh ins(%y : {type_}) outs(%y : {type_}) -> {type_}"
        else:
            body = body.replace("%y", "%z")
        self.make(A, f"scf.for %k = %c0 to %c2 step %c1 iter_args(%carried = {start}) -> ({type_}) {{ {made} {body} scf.yield %z : {type_} }}")

    def loop_of_slices(self):
        type_, start = tensor(A), self.written(A)
        self.make(
            A,
            f"scf.for %k = %c0 to %c16 step %c8 iter_args(%carried = {start}) -> ({type_}) {{ "
            f"%in = tensor.extract_slice {self.pick(A)}[%k, 0] [8, 16] [1, 1] : {type_} to {tensor(B)} "
            f"%out = tensor.extract_slice %carried[%k, 0] [8, 16] [1, 1] : {type_} to {tensor(B)} "
            f"%y = linalg.tanh ins(%in : {tensor(B)}) outs(%out : {tensor(B)}) -> {tensor(B)} "
            f"%z = tensor.insert_slice %y into %carried[%k, 0] [8, 16] [1, 1] : {tensor(B)} into {type_} "
            f"scf.yield %z : {type_} }}",
        )

    def forall(self):
        type_ = tensor(A)
        self.make(
            A,
            f"scf.forall (%k) = (0) to (16) step (8) shared_outs(%out = {self.destination(A)}) -> ({type_}) {{ "
            f"%in = tensor.extract_slice {self.pick(A)}[%k, 0] [8, 16] [1, 1] : {type_} to {tensor(B)} "
            f"%e = tensor.empty() : {tensor(B)} "
            f"%y = linalg.tanh ins(%in : {tensor(B)}) outs(%e : {tensor(B)}) -> {tensor(B)} "
            f"scf.forall.in_parallel {{ tensor.parallel_insert_slice %y into %out[%k, 0] [8, 16] [1, 1] : {tensor(B)} into {type_} }} }}",
        )

    # Calls.

    def call(self):
        kind = self.rng.choice(["makes", "updates", "hands_on", "reads", "stores"])
        type_ = tensor(A)
        name = f"@{kind}_{self.seed}"
        bodies = {
            "makes": f"%e = tensor.empty() : {type_} %t = linalg.tanh ins(%a : {type_}) outs(%e : {type_}) -> {type_} %m = linalg.matmul ins(%t, %t : {type_}, {type_}) outs(%a : {type_}) -> {type_} return %m : {type_}",
            "updates": f"%t = linalg.tanh ins(%a : {type_}) outs(%a : {type_}) -> {type_} return %t : {type_}",
            "hands_on": f"return %a : {type_}",
            "reads": f"%c = arith.constant 0 : index %t = linalg.tanh ins(%a : {type_}) outs(%a : {type_}) -> {type_} %r = tensor.extract %t[%c, %c] : {type_} return %r : f32",
        }
        if kind == "stores":
            if not self.memrefs:
                return
            callee = f"func.func private {name}(%m: memref<{A}xf32>, %s: f32) {{ %c = arith.constant 1 : index memref.store %s, %m[%c, %c] : memref<{A}xf32> return }}"
            self.emit(f"func.call {name}({self.rng.choice(self.memrefs)}, {self.rng.choice(self.scalars)}) : (memref<{A}xf32>, f32) -> ()")
        else:
            result = "f32" if kind == "reads" else type_
            callee = f"func.func private {name}(%a: {type_}) -> {result} {{ {bodies[kind]} }}"
            text = f"func.call {name}({self.pick(A)}) : ({type_}) -> {result}"
            if kind == "reads":
                self.scalars.append(self.name("s"))
                self.emit(f"{self.scalars[-1]} = {text}")
            else:
                self.make(A, text)
        if callee not in self.callees:
            self.callees.append(callee)

    # Memory.

    def allocate(self):
        memref = self.name("m")
        self.emit(f"{memref} = memref.alloc() : memref<{A}xf32>")
        self.emit(f"linalg.fill ins({self.rng.choice(self.scalars)} : f32) outs({memref} : memref<{A}xf32>)")
        self.memrefs.append(memref)
        self.untaken.append(memref)

    def to_tensor(self):
        if self.untaken:
            memref = self.untaken.pop(self.rng.randrange(len(self.untaken)))
            writable = self.rng.choice(["", " writable"])
            self.make(A, f"bufferization.to_tensor {memref} restrict{writable} : memref<{A}xf32> to {tensor(A)}")

    def store(self):
        if not self.memrefs:
            return
        memref, scalar = self.rng.choice(self.memrefs), self.rng.choice(self.scalars)
        kind = self.rng.choice(["store", "view", "linalg", "copy", "tensor"])
        if kind == "store":
            self.emit(f"memref.store {scalar}, {memref}[%c1, %c0] : memref<{A}xf32>")
        elif kind == "view":
            view = self.name("w")
            strided = f"memref<{B}xf32, strided<[16, 1], offset: 128>>"
            self.emit(f"{view} = memref.subview {memref}[8, 0] [8, 16] [1, 1] : memref<{A}xf32> to {strided}")
            self.emit(f"linalg.fill ins({scalar} : f32) outs({view} : {strided})")
        elif kind == "linalg":
            self.emit(f"linalg.tanh ins({memref} : memref<{A}xf32>) outs({memref} : memref<{A}xf32>)")
        elif kind == "copy":
            self.emit(f"memref.copy {self.rng.choice(self.memrefs)}, {memref} : memref<{A}xf32> to memref<{A}xf32>")
        else:
            self.emit(f"bufferization.materialize_in_destination {self.pick(A)} in writable {memref} : ({tensor(A)}, memref<{A}xf32>) -> ()")

    def load(self):
        if self.memrefs:
            self.scalars.append(self.name("s"))
            self.emit(f"{self.scalars[-1]} = memref.load {self.rng.choice(self.memrefs)}[%c1, %c1] : memref<{A}xf32>")

    def to_buffer(self):
        memref = self.name("b")
        value = self.pick(A)
        is_read = self.rng.random() < 0.5
        self.emit(f"{memref} = bufferization.to_buffer {value}{' read_only' if is_read else ''} : {tensor(A)} to memref<{A}xf32, strided<[?, ?], offset: ?>>")
        self.scalars.append(self.name("s"))
        if not is_read:
            self.emit(f"memref.store %half, {memref}[%c1, %c1] : memref<{A}xf32, strided<[?, ?], offset: ?>>")
        self.emit(f"{self.scalars[-1]} = memref.load {memref}[%c1, %c1] : memref<{A}xf32, strided<[?, ?], offset: ?>>")

    def alloc_tensor(self):
        copy = f" copy({self.pick(A)})" if self.rng.random() < 0.5 else ""
        if not copy:
            value = self.name("e")
            self.emit(f"{value} = bufferization.alloc_tensor() : {tensor(A)}")
            self.empties[A].append(value)
        else:
            value = self.name("k")
            self.emit(f"{value} = bufferization.alloc_tensor(){copy} : {tensor(A)}")
            self.values[A].append(value)

    # The whole.

    def build(self):
        rng = self.rng
        args = ["%p: " + tensor(A), "%q: " + tensor(A), "%u: " + tensor(B), "%flag: i1"]
        self.values[A] += ["%p", "%q"]
        self.values[B] += ["%u"]
        if self.has_memory:
            args.append(f"%m: memref<{A}xf32>")
            self.memrefs.append("%m")
            self.untaken.append("%m")
        common = [self.unary] * 4 + [self.binary] * 4 + [self.matmul] * 4
        rest = [self.generic, self.reduce, self.broadcast, self.transpose, self.slice, self.insert, self.flatten, self.unflatten]
        rest += [self.cast, self.pad, self.generate, self.splat, self.constant, self.element, self.select, self.reshape]
        rest += [self.alloc_tensor]
        if rng.random() < 0.6:
            rest += [self.branch, self.loop, self.loop, self.loop_of_slices, self.forall]
        if self.has_memory:
            rest += [self.allocate] + 3 * [self.to_tensor, self.store, self.load] + [self.to_buffer]
        if self.has_calls:
            rest += 3 * [self.call]
        chosen = common + rng.sample(rest, rng.randint(2, len(rest)))
        for _ in range(rng.randint(4, 14)):
            rng.choice(chosen)()
        forward = list(self.values[A])
        gradient = self.pick(A)
        for value in reversed(forward):
            if rng.random() < 0.7:
                gradient = self.binary_of(A, gradient, value)
            if rng.random() < 0.3:
                rng.choice(chosen)()
        returned = [(gradient, A)]
        for _ in range(rng.randint(0, 3)):
            shape = rng.choice([A, A, B, V])
            returned.append((self.pick(shape), shape))
        self.returned = [shape for _, shape in returned]
        types = ", ".join(tensor(shape) for shape in self.returned)
        head = "".join(f"  {line}\n" for line in [
            "%half = arith.constant 0.5 : f32", "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
            "%c2 = arith.constant 2 : index", "%c8 = arith.constant 8 : index", "%c16 = arith.constant 16 : index",
            "%shape = arith.constant dense<256> : tensor<1xindex>"])
        self.text = (
            f"func.func @step({', '.join(args)}) -> ({types}) {{\n{head}" + "\n".join(self.lines)
            + f"\n  return {', '.join(value for value, _ in returned)} : {types}\n}}\n"
        )

    def main(self, number, function):
        """Ops that call `function`, a version of this step."""
        n, rng = number, random.Random(self.seed)
        types = [tensor(A), tensor(A), tensor(B), "i1"]
        lines = []
        for k, shape in enumerate([A, A, B]):
            lines.append(f"%d{n}_{k} = arith.constant {rng.randint(1, 99)} : i32")
            lines.append(f"%a{n}_{k} = func.call @pattern_{shape}(%d{n}_{k}) : (i32) -> {tensor(shape)}")
        lines.append(f"%a{n}_3 = arith.constant {rng.choice(['true', 'false'])}")
        if self.has_memory:
            types.append(f"memref<{A}xf32>")
            lines.append(f"%a{n}_4 = memref.alloc() : memref<{A}xf32>")
            lines.append(f"%f{n} = arith.constant 0.75 : f32")
            lines.append(f"linalg.fill ins(%f{n} : f32) outs(%a{n}_4 : memref<{A}xf32>)")
        results = ", ".join(tensor(shape) for shape in self.returned)
        operands = ", ".join(f"%a{n}_{k}" for k in range(len(types)))
        lines.append(f"%r{n}:{len(self.returned)} = func.call {function}({operands}) : ({', '.join(types)}) -> ({results})")
        lines.append(f"%n{n} = arith.constant {number} : i64")
        lines.append(f"func.call @heldEnd(%n{n}) : (i64) -> ()")
        for k, shape in enumerate(self.returned):
            lines.append(f"func.call @digest_{shape}(%r{n}#{k}) : ({tensor(shape)}) -> ()")
        if self.has_memory:
            lines.append(f"%t{n} = bufferization.to_tensor %a{n}_4 restrict : memref<{A}xf32> to {tensor(A)}")
            lines.append(f"func.call @digest_{A}(%t{n}) : ({tensor(A)}) -> ()")
        return "".join(f"  {line}\n" for line in lines)


def helpers():
    """Functions that the mains call."""
    text = "func.func private @heldBegin()\nfunc.func private @heldEnd(i64)\n"
    text += "func.func private @digest(tensor<*xi32>) attributes {llvm.emit_c_interface}\n"
    for shape in [A, B, V]:
        rank = shape.count("x") + 1
        names = ["i", "j"][:rank]
        maps = f"affine_map<({', '.join(names)}) -> ({', '.join(names)})>"
        loops = ", ".join(['"parallel"'] * rank)
        words = f"tensor<{shape}xi32>"
        text += f"func.func private @digest_{shape}(%t: {tensor(shape)}) {{\n"
        text += f"  %e = tensor.empty() : {words}\n"
        text += f"  %w = linalg.generic {{indexing_maps = [{maps}, {maps}], iterator_types = [{loops}]}} ins(%t : {tensor(shape)}) outs(%e : {words}) {{\n"
        text += "  ^bb0(%x: f32, %u: i32):\n    %b = arith.bitcast %x : f32 to i32\n    linalg.yield %b : i32\n"
        text += f"  }} -> {words}\n  %a = tensor.cast %w : {words} to tensor<*xi32>\n"
        text += "  func.call @digest(%a) : (tensor<*xi32>) -> ()\n  return\n}\n"
    for shape in [A, B]:
        text += f"func.func private @pattern_{shape}(%seed: i32) -> {tensor(shape)} {{\n"
        text += "  %r = tensor.generate {\n  ^bb0(%i: index, %j: index):\n"
        for name, value in [("a", 7), ("b", 13), ("m", 23), ("h", 11)]:
            text += f"    %{name} = arith.constant {value} : i32\n"
        text += "    %f = arith.constant 0.0625 : f32\n"
        text += "    %ii = arith.index_cast %i : index to i32\n    %jj = arith.index_cast %j : index to i32\n"
        text += "    %p = arith.muli %ii, %a : i32\n    %q = arith.muli %jj, %b : i32\n"
        text += "    %s = arith.addi %p, %q : i32\n    %t = arith.addi %s, %seed : i32\n"
        text += "    %u = arith.remsi %t, %m : i32\n    %v = arith.subi %u, %h : i32\n"
        text += "    %w = arith.sitofp %v : i32 to f32\n    %x = arith.mulf %w, %f : f32\n"
        text += f"    tensor.yield %x : f32\n  }} : {tensor(shape)}\n  return %r : {tensor(shape)}\n}}\n"
    return text
