"""The peer of image_loading: torchvision's ImageFolder in a DataLoader.

image_loading_pytorch.py make DIR HEIGHT WIDTH COUNT  writes JPEG files in ten
classes: blurred noise with some fine noise, 1.7 bits a pixel as photographs of
quality 85 to 90 have.
image_loading_pytorch.py DIR SIZE BATCH IMAGES WORKERS  prints images a second.
"""
import os
import sys
import time


def make(folder, height, width, count):
    import numpy
    from PIL import Image

    for index in range(count):
        random = numpy.random.default_rng(index)
        small = random.integers(0, 256, (height // 16 + 2, width // 16 + 2, 3))
        image = Image.fromarray(small.astype("uint8"))
        image = image.resize((width, height), Image.BICUBIC)
        fine = random.normal(0, 9, (height, width, 1))
        pixels = numpy.asarray(image).astype("float32") + fine
        image = Image.fromarray(pixels.clip(0, 255).astype("uint8"))
        place = os.path.join(folder, str(index % 10))
        os.makedirs(place, exist_ok=True)
        image.save(os.path.join(place, "%05d.jpg" % index), quality=87)


def measure(folder, size, batch, images, workers):
    import torch
    from torchvision import datasets, transforms

    uncounted = 4
    steps = transforms.Compose(
        [
            transforms.RandomResizedCrop(size),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ]
    )
    torch.set_num_threads(1)
    data = datasets.ImageFolder(folder, steps)
    loader = torch.utils.data.DataLoader(
        data,
        batch,
        shuffle=True,
        num_workers=workers,
        drop_last=True,
        persistent_workers=True,
        prefetch_factor=3,
    )

    def forever():
        while True:
            yield from loader

    batches = forever()
    for _ in range(uncounted):
        next(batches)
    begin = time.perf_counter()
    for _ in range(images // batch):
        next(batches)
    seconds = time.perf_counter() - begin
    print("%.1f" % (images // batch * batch / seconds), flush=True)
    os._exit(0)  # workers have batches under way


if sys.argv[1] == "make":
    make(sys.argv[2], *map(int, sys.argv[3:6]))
else:
    measure(sys.argv[1], *map(int, sys.argv[2:6]))
