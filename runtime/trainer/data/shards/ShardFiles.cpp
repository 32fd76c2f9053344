//===- ShardFiles.cpp - Images in tar archives ----------------------------===//
//
// Method:  libarchive reads the headers and skips the data between them. It
//          does not report where an entry's bytes begin; they follow the
//          entry's last header block, which is found from its first header on.
// Fails:   where libarchive reports an error, or a part lies beyond the file.
//
//===----------------------------------------------------------------------===//
#include "ShardFiles.h"
#include "../images/FileEndings.h"
#include "../images/Image.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/File.h"
#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <charconv>
#include <cstring>

using namespace reprise::rt;

namespace {

constexpr uint64_t kBlock = 512;

/// The place of an entry's bytes in its archive.
struct Place {
  uint64_t offset = 0, size = 0;
};

struct Sample {
  uint32_t shard = 0;
  int32_t label = -1;
  Place image;
};

/// The sample whose files are currently read.
struct Open {
  std::string key, imageName;
  Sample sample;
  bool hasImage = false, hasLabel = false, hasOther = false, isBad = false;
};

class ShardImages final : public ImageFiles {
public:
  ShardImages(bool skips, const std::map<std::string, uint64_t> &beside)
      : skips(skips) {
    left.beside = beside;
  }
  uint64_t size() const override { return samples.size(); }
  int32_t label(uint64_t i) const override { return samples[i].label; }
  std::string name(uint64_t i) const override {
    return shards[samples[i].shard] + "/" +
           names.substr(nameEnds[i], nameEnds[i + 1] - nameEnds[i]);
  }
  Status readBegin(uint64_t i, uint64_t most,
                   std::vector<uint8_t> &bytes) const override {
    const Sample &sample = samples[i];
    REPRISE_RETURN_IF_ERROR(checkFileSize(name(i), sample.image.size));
    setSize(bytes, std::min(most, sample.image.size));
    // Opened each time: there may be more shards than the limit of open files.
    REPRISE_EXPECT(shard, InputFile::open(shards[sample.shard]));
    return shard->readAt(sample.image.offset, bytes.data(), bytes.size());
  }
  const std::vector<std::string> &classNames() const override { return none; }
  int32_t classes() const override { return count; }
  uint64_t hostBytes() const override {
    return samples.capacity() * sizeof(Sample) + names.capacity() +
           nameEnds.capacity() * sizeof(uint64_t);
  }
  SkippedRows skipped() const override { return left; }
  Status add(const std::string &path);

private:
  Status addEntry(const InputFile &file, const std::string &name,
                  const Place &place, Open &open);
  Status spoil(Status status, Open &open) const;
  Status close(const Open &open, const std::string &path);

  std::vector<std::string> shards;
  std::vector<Sample> samples;
  std::string names; // of the images' entries, concatenated
  std::vector<uint64_t> nameEnds = {0};
  std::vector<std::string> none;
  int32_t count = 0;
  const bool skips;
  SkippedRows left;
};

struct CloseArchive {
  void operator()(archive *a) const { archive_read_free(a); }
};
using Archive = std::unique_ptr<archive, CloseArchive>;

} // namespace

static Status damaged(const std::string &path, const std::string &what,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS, nameText("'" + path + "' " + what), file,
                       line);
}

/// Returns libarchive's message, which may be empty.
static std::string reasonOf(const Archive &a) {
  const char *reason = archive_error_string(a.get());
  return reason ? reason : "its headers make no sense";
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Reads a number in a header field: octal, or binary in GNU's form for large
/// ones.
static uint64_t fieldOf(const char *text, size_t size) {
  uint64_t value = 0;
  if (uint8_t(text[0]) & 0x80) {
    for (size_t i = 1; i < size; ++i)
      value = value << 8 | uint8_t(text[i]);
    return value;
  }
  for (size_t i = 0; i < size; ++i)
    if (text[i] >= '0' && text[i] <= '7')
      value = value << 3 | uint64_t(text[i] - '0');
  return value;
}

/// Returns the offset after an entry's last header, given its beginning. Skips
/// blocks of zeros at the end of another archive, extended headers and long
/// names, each with data of their own, and the header of the file.
static Expected<uint64_t> skipHeaders(const InputFile &file, uint64_t at) {
  constexpr size_t kSizeField = 124, kSizeBytes = 12, kType = 156;
  while (true) {
    char header[kBlock];
    REPRISE_RETURN_IF_ERROR(file.readAt(at, header, sizeof header));
    at += kBlock;
    if (std::all_of(header, header + kBlock, [](char c) { return c == 0; }))
      continue;
    if (!header[kType] || !std::strchr("xgLK", header[kType]))
      return at;
    uint64_t size = fieldOf(header + kSizeField, kSizeBytes);
    if (size > file.size() - std::min(at, file.size()))
      return damaged(file.path(), "is truncated: a header at byte " +
                                      std::to_string(at - kBlock) + " has " +
                                      std::to_string(size) + " bytes");
    at += (size + kBlock - 1) / kBlock * kBlock;
  }
}

static Expected<int32_t> readLabel(const InputFile &file, const Place &place,
                                   const std::string &entry) {
  char text[16] = "";
  size_t size = size_t(std::min<uint64_t>(place.size, sizeof text));
  REPRISE_RETURN_IF_ERROR(file.readAt(place.offset, text, size));
  int32_t label = -1;
  auto [end, error] = std::from_chars(text, text + size, label);
  bool isGood = error == std::errc() && label >= 0 && size < sizeof text &&
                label < INT32_MAX;
  for (const char *c = end; c < text + size; ++c)
    isGood = isGood && std::strchr(" \r\n", *c);
  if (isGood)
    return label;
  return damaged(file.path(), "holds '" + entry +
                                  "', which is not a class: it " +
                                  "must be the number of one as digits");
}

/// Adds a complete sample.
Status ShardImages::close(const Open &open, const std::string &path) {
  if (!open.hasImage && !open.hasLabel && !open.hasOther && !open.isBad)
    return Status();
  if (skips && (open.isBad || !open.hasImage || !open.hasLabel)) {
    if (left.count++ == 0)
      left.first = path + "/" + open.key;
    return Status();
  }
  if (!open.hasImage || !open.hasLabel)
    return damaged(path,
                   "holds the sample '" + open.key + "' without its " +
                       (open.hasImage
                            ? "class (.cls)"
                            : "image (" + endingsOf(FileUse::Image) + ")"));
  count = std::max(count, open.sample.label + 1);
  samples.push_back(open.sample);
  names += open.imageName;
  nameEnds.push_back(names.size());
  return Status();
}

/// Returns the name up to the first dot of its last component.
static std::string keyOf(const std::string &name) {
  size_t slash = name.rfind('/');
  return name.substr(0, name.find('.', slash == name.npos ? 0 : slash + 1));
}

static bool isHidden(const std::string &name) {
  size_t slash = name.rfind('/');
  return name[slash == name.npos ? 0 : slash + 1] == '.';
}

static bool isClassName(const std::string &name) {
  return endingOfName(name) == ".cls";
}

/// Marks the sample as bad, for the reason in `status`.
Status ShardImages::spoil(Status status, Open &open) const {
  if (!skips || status.code() != RP_DATA_LOSS)
    return status;
  open.isBad = true;
  return Status();
}

Status ShardImages::addEntry(const InputFile &file, const std::string &name,
                             const Place &place, Open &open) {
  if (isImageName(name)) {
    if (open.hasImage)
      return spoil(damaged(file.path(),
                           "holds two images of the sample '" + open.key + "'"),
                   open);
    open.hasImage = true;
    open.sample.image = place;
    open.imageName = name;
  } else if (isClassName(name)) {
    Expected<int32_t> label = readLabel(file, place, name);
    if (!label.ok())
      return spoil(label.status(), open);
    open.hasLabel = true;
    open.sample.label = *label;
  } else if (formatOfName(name).use == FileUse::UnreadImage) {
    open.hasOther = true;
    if (!skips)
      return damaged(file.path(), "holds '" + name +
                                      "', which is no JPEG or PNG; those are "
                                      "what is read");
  } else {
    ++left.beside[endingOfName(name)];
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

static Expected<Archive> openArchive(const std::string &path) {
  Archive a(archive_read_new());
  if (!a)
    return Status::error(RP_OUT_OF_MEMORY, "cannot read '" + path +
                                               "': libarchive has no memory");
  archive_read_support_format_tar(a.get());
  archive_read_set_format_option(a.get(), "tar", "read_concatenated_archives",
                                 "1");
  archive_read_support_filter_all(a.get()); // to detect compression
  if (archive_read_open_filename(a.get(), path.c_str(), 1 << 16) != ARCHIVE_OK)
    return damaged(path, "is not a tar archive: " + reasonOf(a));
  return a;
}

static Status checkPlain(const Archive &a, const std::string &path) {
  if (archive_filter_code(a.get(), 0) == ARCHIVE_FILTER_NONE)
    return Status();
  return damaged(path, std::string("is compressed (") +
                           archive_filter_name(a.get(), 0) +
                           "); images are read at their places, so it must be "
                           "a plain tar archive");
}

/// Returns the name as stored, independent of the locale; "" if it is not text.
static std::string nameOf(archive_entry *entry) {
  const char *name = archive_entry_pathname(entry);
  name = name ? name : archive_entry_pathname_utf8(entry);
  return name ? name : "";
}

/// Returns why the bytes of an entry are not one part of the archive; "" if
/// they are.
static std::string whyNoPart(archive_entry *entry) {
  if (archive_entry_hardlink(entry))
    return "a hard link; write the archive with --hard-dereference";
  if (archive_entry_filetype(entry) == AE_IFLNK)
    return "a symbolic link; write the archive with --dereference";
  if (archive_entry_sparse_count(entry) > 0)
    return "a sparse file; write the archive without --sparse";
  return archive_entry_filetype(entry) == AE_IFREG ? "" : "no regular file";
}

/// Returns the place of the current entry's bytes.
static Expected<Place> placeOf(const Archive &a, archive_entry *entry,
                               const std::string &name, const InputFile &file) {
  Place place;
  place.size = uint64_t(archive_entry_size(entry));
  REPRISE_EXPECT(
      offset,
      skipHeaders(file, uint64_t(archive_read_header_position(a.get()))));
  place.offset = *offset;
  if (place.offset <= file.size() && place.size <= file.size() - place.offset)
    return place;
  return damaged(file.path(), "is truncated: '" + name + "' ends at byte " +
                                  std::to_string(place.offset + place.size) +
                                  " of " + std::to_string(file.size()));
}

Status ShardImages::add(const std::string &path) {
  REPRISE_EXPECT(opened, InputFile::open(path));
  REPRISE_EXPECT(a, openArchive(path));
  const InputFile &file = *opened;
  auto shard = uint32_t(shards.size());
  Open open;
  archive_entry *entry = nullptr;
  int code;
  // A warning is about a name that the locale cannot represent.
  while ((code = archive_read_next_header(a->get(), &entry)) == ARCHIVE_OK ||
         code == ARCHIVE_WARN) {
    REPRISE_RETURN_IF_ERROR(checkPlain(*a, path));
    if (archive_entry_filetype(entry) == AE_IFDIR)
      continue;
    const std::string name = nameOf(entry);
    if (isHidden(name)) {
      ++left.beside["hidden"];
      continue;
    }
    if (const std::string key = keyOf(name); key != open.key) {
      REPRISE_RETURN_IF_ERROR(close(open, path));
      open = Open();
      open.key = key;
      open.sample.shard = shard;
    }
    bool isOfSample = isImageName(name) || isClassName(name);
    if (std::string why = whyNoPart(entry); isOfSample && !why.empty()) {
      REPRISE_RETURN_IF_ERROR(
          spoil(damaged(path, "holds '" + name + "' as " + why), open));
      continue;
    }
    REPRISE_EXPECT(place, placeOf(*a, entry, name, file));
    REPRISE_RETURN_IF_ERROR(addEntry(file, name, *place, open));
  }
  if (code != ARCHIVE_EOF)
    return damaged(path, "is truncated or damaged: " + reasonOf(*a));
  REPRISE_RETURN_IF_ERROR(close(open, path));
  shards.push_back(path);
  return Status();
}

Expected<std::unique_ptr<ImageFiles>>
reprise::rt::indexShards(const std::vector<std::string> &paths, bool skips,
                         const std::map<std::string, uint64_t> &beside) {
  auto images = std::make_unique<ShardImages>(skips, beside);
  for (const std::string &path : paths)
    REPRISE_RETURN_IF_ERROR(images->add(path));
  if (images->size() > 0)
    return std::unique_ptr<ImageFiles>(std::move(images));
  return damaged(paths.front(), "holds no sample of an image and a class");
}
