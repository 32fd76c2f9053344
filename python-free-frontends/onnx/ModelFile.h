//===- ModelFile.h - A model's file and the files beside it -----*- C++ -*-===//
//
// Files are mapped, so that weights take memory only where they are read.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_MODELFILE_H
#define REPRISE_ONNX_MODELFILE_H

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace reprise::onnx {

/// A regular file in memory.
class MappedFile {
public:
  /// Maps the file of a descriptor, which stays open. Returns null and sets
  /// `error` to the reason if it is no regular file.
  static std::unique_ptr<MappedFile> map(int descriptor, std::string &error);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return view; }

private:
  MappedFile() = default;
  std::string_view view;
};

/// A model's file. External data are opened below its folder only: no absolute
/// path, no "..", no symbolic link.
class ModelFile {
public:
  /// Returns null and sets `error` to the reason.
  static std::unique_ptr<ModelFile> open(const std::string &path,
                                         std::string &error);
  ~ModelFile();

  std::string_view bytes() const { return main->bytes(); }
  /// Returns the bytes of a file by its path from the model's folder; on
  /// failure sets `error`.
  std::string_view external(const std::string &location, std::string &error);

private:
  ModelFile() = default;

  int folder = -1;
  std::unique_ptr<MappedFile> main;
  std::map<std::string, std::unique_ptr<MappedFile>> others;
};

} // namespace reprise::onnx

#endif // REPRISE_ONNX_MODELFILE_H
