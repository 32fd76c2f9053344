// Ops that run once, whether they say so or say nothing, are never cloned.
//
// RUN: fake-opt %s -split-input-file -verify-diagnostics --remat-to-budget="budget-bytes=8192"

// expected-error@below {{budget of 8.0 KiB (8192 bytes) cannot be met; the smallest found is 12.0 KiB (12288 bytes)}}
func.func @executes_once_what_says_so(%x: !fake.block<4096>)
    -> !fake.block<64> {
  // expected-note@below {{4.0 KiB (4096 bytes) 'fake.gather', which is read later}}
  %a = fake.gather %x : (!fake.block<4096>) -> !fake.block<4096>
  // expected-note@below {{3.9 KiB (4032 bytes) 'fake.grad', which it reads}}
  %b = fake.grad %a : (!fake.block<4096>) -> !fake.block<4032>
  // expected-note@below {{no schedule of these ops lives below 12.0 KiB (12288 bytes), because while 'fake.grad' runs these are live at once:}}
  // expected-note@below {{4.1 KiB (4160 bytes) 'fake.grad', which it makes}}
  %c = fake.grad %b : (!fake.block<4032>) -> !fake.block<4160>
  %d = fake.grad %c : (!fake.block<4160>) -> !fake.block<64>
  %e = fake.grad %d, %a
    : (!fake.block<64>, !fake.block<4096>) -> !fake.block<64>
  return %e : !fake.block<64>
}

// -----

// expected-error@below {{budget of 8.0 KiB (8192 bytes) cannot be met; the smallest found is 12.0 KiB (12288 bytes)}}
func.func @executes_once_what_says_nothing(%x: !fake.block<4096>)
    -> !fake.block<64> {
  // expected-note@below {{4.0 KiB (4096 bytes) 'fake.dropout', which is read later}}
  %a = fake.dropout %x : (!fake.block<4096>) -> !fake.block<4096>
  // expected-note@below {{3.9 KiB (4032 bytes) 'fake.grad', which it reads}}
  %b = fake.grad %a : (!fake.block<4096>) -> !fake.block<4032>
  // expected-note@below {{no schedule of these ops lives below 12.0 KiB (12288 bytes), because while 'fake.grad' runs these are live at once:}}
  // expected-note@below {{4.1 KiB (4160 bytes) 'fake.grad', which it makes}}
  %c = fake.grad %b : (!fake.block<4032>) -> !fake.block<4160>
  %d = fake.grad %c : (!fake.block<4160>) -> !fake.block<64>
  %e = fake.grad %d, %a
    : (!fake.block<64>, !fake.block<4096>) -> !fake.block<64>
  return %e : !fake.block<64>
}

// -----

func.func @refuses_unknown_bytes(%x: !fake.block<64>) -> tensor<?xf32> {
  // expected-error@below {{'fake.opaque' op has result 0 of unknown bytes: it is a 'tensor<?xf32>'; give them by 'remat.bytes'}}
  %a = fake.opaque %x : (!fake.block<64>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}
