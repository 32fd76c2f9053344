//===- TestImages.cpp - Images and archives made by tests -----------------===//
#include "TestImages.h"
#include "TestFiles.h"
#include <cstdio>
#include <cstring>
#include <jpeglib.h>
#include <png.h>
#include <sstream>

using namespace reprise::rt::test;

Picture reprise::rt::test::noise(int height, int width, int channels,
                                 unsigned seed) {
  Picture picture = {height, width, channels, {}};
  uint32_t state = seed * 2654435761u + 1;
  for (int i = 0; i < height * width * channels; ++i) {
    state = state * 1664525u + 1013904223u;
    picture.pixels.push_back(uint8_t(state >> 24));
  }
  return picture;
}

std::string reprise::rt::test::encodePng(const Picture &picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(picture.width);
  image.height = png_uint_32(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_get_memory_size(
      image, size, 0, picture.pixels.data(), 0, nullptr));
  std::string bytes(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&image, bytes.data(), &size, 0,
                                        picture.pixels.data(), 0, nullptr));
  bytes.resize(size);
  return bytes;
}

std::string reprise::rt::test::encodeJpeg(const Picture &picture,
                                          const JpegForm &form) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char *out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = JDIMENSION(picture.width);
  info.image_height = JDIMENSION(picture.height);
  info.input_components = picture.channels;
  info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, form.quality, TRUE);
  if (picture.channels == 3) {
    info.comp_info[0].h_samp_factor = form.horizontal;
    info.comp_info[0].v_samp_factor = form.vertical;
  }
  if (form.progressive)
    jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> pixels = picture.pixels;
  size_t row = size_t(picture.width) * size_t(picture.channels);
  for (int y = 0; y < picture.height; ++y) {
    JSAMPROW source = pixels.data() + size_t(y) * row;
    jpeg_write_scanlines(&info, &source, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<char *>(out), size);
  std::free(out);
  return bytes;
}

static std::string header(const std::string &name, size_t size) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  auto put = [&block](size_t at, const char *format, unsigned long value) {
    char text[16];
    int n = std::snprintf(text, sizeof text, format, value);
    block.replace(at, size_t(n), text, size_t(n));
  };
  put(100, "%07lo", 0644);
  put(108, "%07lo", 0);
  put(116, "%07lo", 0);
  put(124, "%011lo", size);
  put(136, "%011lo", 0);
  block[156] = '0';
  block.replace(257, 8, std::string("ustar\00000", 8));
  block.replace(148, 8, "        ");
  unsigned long sum = 0;
  for (char c : block)
    sum += uint8_t(c);
  put(148, "%06lo", sum);
  block[154] = '\0';
  return block;
}

std::string reprise::rt::test::makeTar(
    const std::vector<std::pair<std::string, std::string>> &entries) {
  std::string bytes;
  for (const auto &[name, content] : entries) {
    bytes += header(name, content.size()) + content;
    bytes.resize((bytes.size() + 511) / 512 * 512);
  }
  return bytes + std::string(1024, '\0');
}

Picture reprise::rt::test::readPnm(const std::string &path) {
  std::istringstream in(readFile(path));
  std::string kind;
  int most = 0;
  Picture picture;
  in >> kind >> picture.width >> picture.height >> most;
  in.get();
  picture.channels = kind == "P6" ? 3 : 1;
  EXPECT_EQ(most, 255) << path;
  picture.pixels.resize(
      size_t(picture.width * picture.height * picture.channels));
  in.read(reinterpret_cast<char *>(picture.pixels.data()),
          std::streamsize(picture.pixels.size()));
  EXPECT_TRUE(in) << path;
  return picture;
}
