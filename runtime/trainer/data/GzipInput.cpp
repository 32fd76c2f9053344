//===- GzipInput.cpp - Files that are gzipped or plain --------------------===//

#include "GzipInput.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/File.h"
#include <algorithm>

using namespace reprise::rt;

Expected<GzipInput> GzipInput::open(const std::string &path) {
  REPRISE_EXPECT(opened, InputFile::open(path));
  FileDescriptor descriptor = opened->takeDescriptor();
  GzipInput input;
  input.path = path;
  input.size = opened->size();
  input.file.reset(gzdopen(descriptor.get(), "rb"));
  if (!input.file)
    return Status::error(RP_OUT_OF_MEMORY, "cannot read '" + nameText(path) +
                                               "': zlib has no memory");
  descriptor.release(); // closed by gzclose_r
  gzbuffer(input.file.get(), 1u << 17);
  return input;
}

/// zlib keeps the error of a stream that stops in its middle, also where it
/// gives the bytes before that.
Status GzipInput::check(int got) {
  int code = Z_OK;
  std::string reason = gzerror(file.get(), &code);
  if (got >= 0 && code >= Z_OK)
    return Status();
  reason.erase(0, reason.find(' ') + 1); // zlib's name of the file, "<fd:3>:"
  const std::string place = std::to_string(gzoffset(file.get())),
                    name = "'" + nameText(path) + "' ";
  if (code == Z_ERRNO || code == Z_MEM_ERROR)
    return Status::error(RP_IO_ERROR, "cannot read " + name + "after byte " +
                                          place + ": " + reason);
  if (code == Z_BUF_ERROR)
    return Status::error(RP_DATA_LOSS,
                         name + "is truncated: its gzip stream is incomplete " +
                             "at byte " + place + ", where the file ends");
  return Status::error(RP_DATA_LOSS, name + "is damaged before byte " + place +
                                         " of " + std::to_string(size) +
                                         ", in its gzip stream: " + reason);
}

Status GzipInput::read(void *data, uint64_t wanted, uint64_t *done) {
  constexpr uint64_t kMost = uint64_t(1) << 30; // that zlib takes at once
  auto *bytes = static_cast<uint8_t *>(data);
  *done = 0;
  while (*done < wanted) {
    auto part = unsigned(std::min(kMost, wanted - *done));
    int got = gzread(file.get(), bytes + *done, part);
    REPRISE_RETURN_IF_ERROR(check(got));
    if (got == 0)
      break;
    *done += uint64_t(got);
  }
  return Status();
}

Status GzipInput::seek(int64_t offset) {
  return check(gzseek(file.get(), offset, SEEK_SET) == offset ? 0 : -1);
}
