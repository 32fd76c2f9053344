//===- BuffersCsv.cpp - Buffers to place, as CSV --------------------------===//

#include "reprise/PlanFormat/BuffersCsv.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace reprise::plan::format {

using rt::Status;

namespace {

constexpr std::array<const char *, 5> kTitles = {"id", "lower", "upper", "size",
                                                 "offset"};

class CsvReader {
public:
  CsvReader(const std::string &name, const std::string &text)
      : name(name), text(text) {}

  Status read() {
    if (text.compare(0, 3, "\xEF\xBB\xBF") == 0)
      at = 3; // the byte-order mark
    std::string line;
    if (!nextLine(line))
      return error("the file is empty; it must begin with id,lower,upper,size");
    REPRISE_RETURN_IF_ERROR(readTitles(line));
    while (nextLine(line))
      if (!line.empty())
        REPRISE_RETURN_IF_ERROR(readBuffer(line));
    return {};
  }

  std::vector<CsvBuffer> buffers;

private:
  Status error(const std::string &message) const {
    return Status::error(RP_INVALID_ARGUMENT,
                         name + ":" + std::to_string(std::max<size_t>(row, 1)) +
                             ": " + message);
  }

  bool nextLine(std::string &line) {
    if (at >= text.size())
      return false;
    size_t end = std::min(text.find('\n', at), text.size());
    line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    at = end + 1;
    ++row;
    return true;
  }

  static std::vector<std::string> split(const std::string &line) {
    std::vector<std::string> fields;
    for (size_t begin = 0; begin <= line.size();) {
      size_t end = std::min(line.find(',', begin), line.size());
      fields.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    return fields;
  }

  Status readTitles(const std::string &line) {
    column.fill(kNone);
    std::vector<std::string> titles = split(line);
    for (uint32_t i = 0; i < titles.size(); ++i) {
      auto known = std::find(kTitles.begin(), kTitles.end(), titles[i]);
      if (known == kTitles.end())
        return error("no column is called '" + shorten(titles[i]) +
                     "'; the titles are id,lower,upper,size");
      uint32_t &place = column[known - kTitles.begin()];
      if (place != kNone)
        return error("there are two columns '" + titles[i] + "'");
      place = i;
    }
    for (size_t i = 0; i < 4; ++i)
      if (column[i] == kNone)
        return error(std::string("there is no column '") + kTitles[i] + "'");
    columns = titles.size();
    return {};
  }

  /// Shortens a field of a file for a message.
  static std::string shorten(const std::string &field) {
    return field.size() <= 40 ? field : field.substr(0, 40) + "...";
  }

  Status readNumber(const std::string &field, const char *title,
                    const std::string &id, uint64_t &result) const {
    std::string what = std::string(title) + " '" + shorten(field) +
                       "' of buffer '" + shorten(id) + "'";
    if (field.empty() ||
        field.find_first_not_of("0123456789") != std::string::npos)
      return error(what + " is not a whole number");
    result = 0;
    for (char digit : field)
      if (__builtin_mul_overflow(result, uint64_t(10), &result) ||
          __builtin_add_overflow(result, uint64_t(digit - '0'), &result))
        return error(what + " is more than 64 bits hold");
    return {};
  }

  Status readBuffer(const std::string &line) {
    std::vector<std::string> fields = split(line);
    if (fields.size() != columns)
      return error("the line has " + std::to_string(fields.size()) +
                   " fields; the titles are " + std::to_string(columns));
    CsvBuffer buffer;
    buffer.id = fields[column[0]];
    if (buffer.id.empty() ||
        buffer.id.find_first_of(std::string("\"\0", 2)) != std::string::npos)
      return error("the id '" + shorten(buffer.id) +
                   "' is empty, quoted or has a NUL; write it plain");
    REPRISE_RETURN_IF_ERROR(
        readNumber(fields[column[1]], "lower", buffer.id, buffer.lower));
    REPRISE_RETURN_IF_ERROR(
        readNumber(fields[column[2]], "upper", buffer.id, buffer.upper));
    REPRISE_RETURN_IF_ERROR(
        readNumber(fields[column[3]], "size", buffer.id, buffer.size));
    if (buffer.lower >= buffer.upper)
      return error("buffer '" + shorten(buffer.id) + "' lives from " +
                   std::to_string(buffer.lower) + " to " +
                   std::to_string(buffer.upper) +
                   "; upper must be more than lower");
    constexpr uint64_t most = uint64_t(1) << 62;
    if (buffer.size >= most || (total += buffer.size) >= most)
      return error("buffer '" + shorten(buffer.id) +
                   "' takes the file to 2^62 bytes or more");
    auto [known, isNew] = rowOf.emplace(buffer.id, row);
    if (!isNew)
      return error("buffer '" + shorten(buffer.id) + "' is on line " +
                   std::to_string(known->second) + " already");
    buffers.push_back(std::move(buffer));
    return {};
  }

  const std::string &name, &text;
  size_t at = 0, row = 0, columns = 0;
  uint64_t total = 0;
  std::array<uint32_t, 5> column = {};
  std::unordered_map<std::string, size_t> rowOf;
};

} // namespace

rt::Expected<std::vector<CsvBuffer>> readBuffers(const std::string &name,
                                                 const std::string &text) {
  CsvReader reader(name, text);
  REPRISE_RETURN_IF_ERROR(reader.read());
  return std::move(reader.buffers);
}

std::string writeBuffers(const std::vector<CsvBuffer> &buffers,
                         const std::vector<uint64_t> &offsets) {
  std::string text = "id,lower,upper,size,offset\n";
  for (size_t i = 0; i < buffers.size(); ++i)
    text += buffers[i].id + "," + std::to_string(buffers[i].lower) + "," +
            std::to_string(buffers[i].upper) + "," +
            std::to_string(buffers[i].size) + "," + std::to_string(offsets[i]) +
            "\n";
  return text;
}

std::vector<Buffer> toBuffers(const std::vector<CsvBuffer> &buffers) {
  std::vector<uint64_t> times;
  uint64_t first = UINT64_MAX, last = 0;
  for (const CsvBuffer &buffer : buffers) {
    times.push_back(buffer.lower);
    times.push_back(buffer.upper);
    first = std::min(first, buffer.lower);
    last = std::max(last, buffer.upper);
  }
  bool fits = !buffers.empty() && last - first < kNone;
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  auto stepOf = [&](uint64_t time) {
    if (fits)
      return uint32_t(time - first);
    return uint32_t(std::lower_bound(times.begin(), times.end(), time) -
                    times.begin());
  };
  std::vector<Buffer> result;
  for (const CsvBuffer &from : buffers) {
    Buffer buffer;
    buffer.bytes = from.size;
    buffer.firstStep = stepOf(from.lower);
    buffer.lastStep = stepOf(from.upper) - 1;
    result.push_back(std::move(buffer));
  }
  return result;
}

} // namespace reprise::plan::format
