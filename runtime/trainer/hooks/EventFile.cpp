//===- EventFile.cpp - Event files of TensorBoard -------------------------===//
#include "EventFile.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <unistd.h>

using namespace reprise::rt;

/// The most bytes of events kept while they cannot be written: a disk may stay
/// full.
static constexpr size_t kMostPending = size_t(16) << 20;

static std::array<uint32_t, 256> crcTable() {
  std::array<uint32_t, 256> table;
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    table[i] = crc;
  }
  return table;
}

uint32_t reprise::rt::crc32c(const void *data, size_t size) {
  static const std::array<uint32_t, 256> table = crcTable();
  const auto *bytes = static_cast<const uint8_t *>(data);
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i)
    crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

static uint32_t maskedCrc(const std::string &data) {
  uint32_t crc = crc32c(data.data(), data.size());
  uint32_t masked = (crc >> 15 | crc << 17) + 0xA282EAD8u;
  return masked;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
enum Wire { kVarint = 0, k64 = 1, kBytes = 2, k32 = 5 };
} // namespace

static void putVarint(std::string &out, uint64_t value) {
  while (value >= 0x80) {
    out += char(value | 0x80);
    value >>= 7;
  }
  out += char(value);
}

static void putKey(std::string &out, unsigned field, Wire wire) {
  putVarint(out, field << 3 | wire);
}

template <typename Number>
static void putFixed(std::string &out, Number value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value); // least significant byte first
  for (size_t i = 0; i < sizeof value; ++i)
    out += char(bits >> 8 * i);
}

static void putNumber(std::string &out, unsigned field, uint64_t value) {
  putKey(out, field, kVarint);
  putVarint(out, value);
}

static void putBytes(std::string &out, unsigned field,
                     const std::string &bytes) {
  putKey(out, field, kBytes);
  putVarint(out, bytes.size());
  out += bytes;
}

std::string EventFile::beginEvent(uint64_t step) {
  std::string event;
  std::chrono::duration<double> now =
      std::chrono::system_clock::now().time_since_epoch();
  // The wall clock may be set back.
  latest = std::max(latest, now.count());
  putKey(event, 1, k64);
  putFixed(event, latest);
  if (step > 0)
    putNumber(event, 2, step);
  return event;
}

void EventFile::addRecord(const std::string &data) {
  std::string length;
  putFixed(length, uint64_t(data.size()));
  if (pending.size() + data.size() > kMostPending)
    return;
  pending += length;
  putFixed(pending, maskedCrc(length));
  pending += data;
  putFixed(pending, maskedCrc(data));
}

void EventFile::addSummary(const std::string &summary, uint64_t step) {
  std::string event = beginEvent(step);
  putBytes(event, 5, summary);
  addRecord(event);
}

void EventFile::addStart(uint64_t step) {
  std::string session, event = beginEvent(step);
  putNumber(session, 1, 1);
  putBytes(event, 7, session);
  addRecord(event);
}

void EventFile::addScalars(
    uint64_t step, const std::vector<std::pair<std::string, double>> &scalars) {
  std::string summary;
  for (const auto &[tag, number] : scalars) {
    std::string value;
    putBytes(value, 1, tag);
    putKey(value, 2, k32);
    putFixed(value, float(number));
    putBytes(summary, 1, value);
  }
  addSummary(summary, step);
}

void EventFile::addText(const std::string &tag, const std::string &text,
                        uint64_t step) {
  std::string plugin, metadata, extent, shape, tensor, value, summary;
  putBytes(plugin, 1, "text");
  putBytes(metadata, 1, plugin);
  putNumber(extent, 1, 1); // a vector with one text
  putBytes(shape, 2, extent);
  putNumber(tensor, 1, 7);
  putBytes(tensor, 2, shape);
  putBytes(tensor, 8, text);
  putBytes(value, 1, tag);
  putBytes(value, 8, tensor);
  putBytes(value, 9, metadata);
  putBytes(summary, 1, value);
  addSummary(summary, step);
}

void EventFile::addImage(const std::string &tag, const EncodedPicture &picture,
                         uint64_t step) {
  std::string image, metadata, value, summary;
  putNumber(image, 1, picture.height);
  putNumber(image, 2, picture.width);
  putNumber(image, 3, 3); // RGB
  putBytes(image, 4, picture.png);
  putBytes(metadata, 3, picture.description);
  putBytes(value, 1, tag);
  putBytes(value, 4, image);
  putBytes(value, 9, metadata);
  putBytes(summary, 1, value);
  addSummary(summary, step);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static constexpr std::string_view kName = "events.out.tfevents.";

/// Returns the seconds in the name of a new file: not before those of existing
/// files, since readers sort files by name.
static uint64_t beginOf(const std::string &directory) {
  uint64_t begin = uint64_t(std::max<std::time_t>(std::time(nullptr), 0));
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end;
       !error && at != end; at.increment(error)) {
    std::string name = at->path().filename();
    // Only numbers with as many digits are times in the order of names.
    if (name.compare(0, kName.size(), kName) != 0)
      continue;
    std::string digits = name.substr(kName.size());
    digits.resize(std::min(digits.size(), digits.find('.')));
    if (digits.size() == std::to_string(begin).size() &&
        digits.find_first_not_of("0123456789") == std::string::npos)
      begin = std::max<uint64_t>(begin, std::stoull(digits));
  }
  return begin;
}

Expected<EventFile> EventFile::create(const std::string &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return systemError("make", directory, error.value());
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0 || !host[0])
    std::strcpy(host, "localhost");
  EventFile file;
  uint64_t now = beginOf(directory);
  file.latest = double(now);
  std::string begin = directory + "/" + std::string(kName) +
                      std::to_string(now) + "." + host + "." +
                      std::to_string(::getpid()) + ".";
  // Runs of one process in the same second get different numbers.
  for (int number = 0;; ++number) {
    file.name = begin + std::to_string(number);
    int fd = ::open(file.name.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0) {
      file.descriptor = FileDescriptor(fd);
      break;
    }
    if (errno != EEXIST)
      return systemError("write", file.name, errno);
  }
  std::string version = file.beginEvent(0);
  putBytes(version, 3, "brain.Event:2");
  file.addRecord(version);
  REPRISE_RETURN_IF_ERROR(file.flush());
  return file;
}

Status EventFile::flush() {
  size_t done = 0;
  while (done < pending.size()) {
    ssize_t count =
        ::write(descriptor.get(), pending.data() + done, pending.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      int error = errno;
      // Readers stop at a truncated record.
      [[maybe_unused]] int cut = ::ftruncate(descriptor.get(), off_t(written));
      return systemError("write", name, error);
    }
    done += size_t(count);
  }
  written += pending.size();
  pending.clear();
  return {};
}
