//===- MemoryCheck.h - Check the writes of each step ------------*- C++ -*-===//
//
// A device's program whose steps are checked. Before a step, everything that it
// must not touch is filled with a pattern; afterwards every byte of the arena
// and of the guards around it is compared:
//
//   guard  | other's | operand | result  | dead    | workspace | guard
//   before pppppppppp vvvvvvvvv ppppppppp ppppppppp ppppppppppp pppppppp
//   after  pppppppppp vvvvvvvvv ......... ppppppppp ........... pppppppp
//
// (p: pattern, v: values, kept on the host meanwhile, .: may differ). Each step
// runs twice, with a pattern and with its complement: a written byte differs
// from at least one of them, so that no changed byte is missed; and a step that
// reads bytes it must not read gives two results. A step takes some five passes
// over the arena, and the host keeps a second arena.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_MEMORYCHECK_H
#define REPRISE_RUNTIME_CORE_MEMORYCHECK_H

#include "Views.h"
#include "reprise/Runtime/Device.h"
#include <string>
#include <vector>

namespace reprise::rt {

class MemoryCheck : public DeviceProgram {
public:
  /// The guard bytes that `checked` needs before and after its arena.
  static constexpr uint64_t kGuardBytes = 16 << 10;

  /// `program` outlives the result. `checked` has just been prepared.
  MemoryCheck(const fb::Program &program,
              std::unique_ptr<DeviceProgram> checked);

  Status write(uint64_t offset, const void *data, uint64_t bytes) override;
  Status read(uint64_t offset, void *data, uint64_t bytes) override;
  Status fill(uint64_t offset, uint8_t byte, uint64_t bytes) override;
  Status writeGuarded(uint64_t offset, const void *data,
                      uint64_t bytes) override;
  Status readGuarded(uint64_t offset, void *data, uint64_t bytes) override;
  /// Fails with RP_INTERNAL, naming the step, if a step changes a byte outside
  /// its results and workspace, or depends on one outside its operands. The
  /// arena then has its content from before that step.
  Status run(size_t entry, size_t first, size_t end) override;
  Status setCommunicator(Communicator *ranks) override {
    return checked->setCommunicator(ranks);
  }
  uint64_t highWaterBytes() const override { return checked->highWaterBytes(); }
  /// Returns a program that is checked as well.
  Expected<std::unique_ptr<DeviceProgram>>
  prepareBeside(const fb::Program &other) override;
  /// Restores the arena's content between steps and saves the present one, for
  /// switches between programs in one memory.
  Status restore();
  Status adopt();
  /// The end of the highest byte, in the arena or after it, that a step changed
  /// or that was written from outside.
  uint64_t changedBytes() const { return changed; }

private:
  /// Bytes of the arena, `end` exclusive.
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  using Ranges = std::vector<Range>;
  /// The places of a step's operands; sorted, without overlaps.
  struct Touched {
    Ranges values;   // hold a value before the step
    Ranges results;  // are written
    Ranges writable; // results and workspace
  };
  /// One step of an entry.
  struct StepRef {
    const fb::Entry &entry;
    uint32_t index;
  };
  /// The first and the last byte that a step changed without permission,
  /// counted from the start of the guard before the arena; none if `first` is
  /// above `last`.
  struct Damage {
    uint64_t first = UINT64_MAX, last = 0;
  };
  enum class Pattern { Plain, Complement };

  Touched touchedBy(const StepRef &step) const;
  void expect(uint64_t begin, uint64_t bytes, Pattern pattern,
              const Ranges &kept);
  Status arrange(Pattern pattern, const Ranges &kept);
  Status inspect(Pattern pattern, const Touched &touched, Damage &damage);
  void compare(uint64_t begin, const Ranges &writable, Damage &damage);
  Status runOnce(size_t entry, size_t index, Pattern pattern,
                 const Touched &touched, Damage &damage,
                 std::vector<uint8_t> &results);
  Status runStep(size_t entry, size_t index);
  Status damaged(const StepRef &step, const Damage &damage) const;
  Status dependent(const StepRef &step, uint64_t at) const;
  std::string place(const StepRef &step, uint64_t at) const;

  const fb::Program &program;
  std::unique_ptr<DeviceProgram> checked;
  std::vector<uint8_t> pattern, complement; // of a piece
  std::vector<uint8_t> contents;            // of the arena, between steps
  std::vector<uint8_t> before, after;       // a piece before and after the step
  uint64_t changed = 0;
  bool isRestored = true; // the arena holds `contents`
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_MEMORYCHECK_H
