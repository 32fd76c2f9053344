"""usage: write_shard.py FOLDER SHARD [apart]

Packs the images of FOLDER/CLASS/ as samples of WebDataset's layout, classes
numbered by name; "apart": all classes first, then all images."""
import io
import os
import sys
import tarfile

folder, shard = sys.argv[1:3]
entries = []
for number, name in enumerate(sorted(os.listdir(folder))):
    for file in sorted(os.listdir(os.path.join(folder, name))):
        key = name + "-" + os.path.splitext(file)[0]
        with open(os.path.join(folder, name, file), "rb") as image:
            entries.append((key + ".png", image.read()))
        entries.append((key + ".cls", str(number).encode()))
if "apart" in sys.argv:
    entries.sort(key=lambda entry: not entry[0].endswith(".cls"))
with tarfile.open(shard, "w") as archive:
    for name, data in entries:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
