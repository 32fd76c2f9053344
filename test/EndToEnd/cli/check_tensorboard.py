"""Reads a run's event files by TensorBoard and by our own reader.

    check_tensorboard.py FOLDER

Scalars, texts and pictures are the same. Debian has no package of TensorBoard;
where python3 cannot import it the script says so and ends well.
"""

import sys

from event_files import decode_png, read_events, read_images

try:
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.backend.event_processing import event_file_loader
except ImportError as error:
    print(f"skipped: {error}; Debian has no package of it, 'pip install "
          "tensorboard' where there is PyPI")
    sys.exit(0)

folder = sys.argv[1]
files, scalars, texts = read_events(folder)
images = read_images(folder)
all_of_them = {kind: 0 for kind in ("scalars", "images", "tensors")}
theirs = event_accumulator.EventAccumulator(folder, size_guidance=all_of_them)
theirs.Reload()
tags = theirs.Tags()
assert set(tags["scalars"]) == set(scalars), tags
assert set(tags["images"]) == set(images), tags
assert set(tags["tensors"]) == set(texts), tags
for tag, points in scalars.items():
    # What a part of a run wrote again counts once.
    assert {e.step: e.value for e in theirs.Scalars(tag)} == points, tag
for tag, steps in images.items():
    for event in theirs.Images(tag):
        width, height, rows, text = steps[event.step]
        assert (event.width, event.height) == (width, height), tag
        assert decode_png(event.encoded_image_string)[2] == rows, tag
    assert theirs.SummaryMetadata(tag).summary_description == text, tag
for tag, text in texts.items():
    last = theirs.Tensors(tag)[-1].tensor_proto
    assert last.string_val[0].decode() == text, tag
    assert theirs.SummaryMetadata(tag).plugin_data.plugin_name == "text", tag

# As its pages read them: every value turned into a tensor of a plugin.
plugins = {}
for path in files:
    for event in event_file_loader.EventFileLoader(path).Load():
        for value in event.summary.value:
            plugins.setdefault(value.tag, value.metadata.plugin_data.plugin_name)
assert all(plugins[tag] == "scalars" for tag in scalars), plugins
assert all(plugins[tag] == "images" for tag in images), plugins
assert all(plugins[tag] == "text" for tag in texts), plugins
print(f"the same: {len(scalars)} curves, {len(images)} pictures, "
      f"{len(texts)} texts")
