//===- PositionTables.h - Position tables of another image size -*- C++ -*-===//
//
// Tables of a transformer that depend on the size of its images or windows, by
// their names, which are those of torchvision and timm:
//
//   *pos_embedding, *pos_embed     ([1,] T+N, D): a row for each patch, after T
//                                  (0 or 1) rows for tokens without a place
//   *relative_position_bias_table  ((2H-1)(2W-1), heads): a row for each
//                                  distance of two places in a window
//
// Another size is interpolated bicubically (a = -0.75, borders repeated). The
// grids of patches have their corners in common, as in torchvision's
// interpolate_embeddings; tables of distances their edges, as in timm's
// resize_rel_pos_bias_table_simple.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TRAINER_POSITIONTABLES_H
#define REPRISE_TRAINER_POSITIONTABLES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::rt {

/// A table of f32 as grids of `columns` numbers a place, after `fixed` rows.
struct TableResize {
  int64_t fixed = 0, columns = 0;
  int64_t fromHeight = 0, fromWidth = 0, toHeight = 0, toWidth = 0;
  bool alignsCorners = false;
};

/// Returns how the table `name` of shape `from` becomes one of shape `to`;
/// nothing if it is no such table, or its rows are no grids. A stored grid of
/// patches is a square; that of the program has the proportions of its images,
/// `height` by `width` (0: unknown).
std::optional<TableResize> findTableResize(const std::string &name,
                                           const std::vector<int64_t> &from,
                                           const std::vector<int64_t> &to,
                                           int64_t height, int64_t width);

/// Returns the resized table.
std::vector<float> resizeTable(const TableResize &resize, const float *table);

} // namespace reprise::rt

#endif // REPRISE_TRAINER_POSITIONTABLES_H
