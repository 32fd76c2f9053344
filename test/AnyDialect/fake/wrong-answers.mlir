// An error about what an op answers stands at the op.
//
// RUN: fake-opt %s -split-input-file -verify-diagnostics \
// RUN:   --remat-to-budget="budget-bytes=8192"

func.func @unknown_execution(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{'fake.claim' op answers 7 for its execution; known are Anywhere (0), Once (1) and InOrder (2)}}
  %a = fake.claim %x {execution = 7 : i32} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @unknown_phase(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{'fake.claim' op answers 255 for its phase; known are Forward (0) and Backward (1)}}
  %a = fake.claim %x {phase = -1 : i32} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @negative_time(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{'fake.claim' op takes -1.000000e+00 milliseconds; the number must be at least 0 and at most 1e9}}
  %a = fake.claim %x {milliseconds = -1.0 : f64} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @time_that_is_no_number(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{milliseconds; the number must be at least 0 and at most 1e9}}
  %a = fake.claim %x {milliseconds = 0x7FF8000000000000 : f64} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @workspace(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{'fake.claim' op has a workspace of 72057594037927936 bytes; the number must be below 2^56}}
  %a = fake.claim %x {workspace = 72057594037927936 : i64} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @bytes(%x: !fake.block<64>) -> !fake.block<72057594037927936> {
  // expected-error@below {{'fake.claim' op has result 0 of 72057594037927936 bytes; the number must be below 2^56}}
  %a = fake.claim %x : (!fake.block<64>) -> !fake.block<72057594037927936>
  return %a : !fake.block<72057594037927936>
}

// -----

func.func @view_of_nothing(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{'fake.claim' op is a view of operand 1, but has 1}}
  %a = fake.claim %x {view = 1 : i32} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @over_nothing(%x: !fake.block<64>) -> !fake.block<64> {
  // expected-error@below {{'fake.claim' op writes result 0 over operand 3, but has 1 results and 1 operands}}
  %a = fake.claim %x {in_place = array<i32: 0, 3>} : (!fake.block<64>) -> !fake.block<64>
  return %a : !fake.block<64>
}

// -----

func.func @time_of_all(%x: !fake.block<64>) -> !fake.block<64> {
  %a = fake.claim %x {milliseconds = 1.0e9 : f64} : (!fake.block<64>) -> !fake.block<64>
  // expected-error@below {{'fake.claim' op takes the function past 1e9 milliseconds}}
  %b = fake.claim %a {milliseconds = 1.0e9 : f64} : (!fake.block<64>) -> !fake.block<64>
  return %b : !fake.block<64>
}

// -----

func.func @bytes_of_all(%x: !fake.block<64>) -> !fake.block<64> {
  %a = fake.claim %x : (!fake.block<64>) -> !fake.block<72057594037927000>
  // expected-error@below {{'fake.claim' op takes the function past 2^56 bytes}}
  %b = fake.claim %a {workspace = 1000 : i64} : (!fake.block<72057594037927000>) -> !fake.block<64>
  return %b : !fake.block<64>
}
