// RUN: reprise-opt %s -split-input-file -verify-diagnostics

func.func @round_trip(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = sg.offload %x : tensor<4xf32>
  %y = sg.fetch %h : tensor<4xf32, #sg.host>
  return %y : tensor<4xf32>
}

// -----

func.func @fetches_what_is_here(%x: tensor<4xf32>) {
  // expected-error@+1 {{'sg.fetch' op operand #0 must be tensor in host memory, with the encoding #sg.host, but got 'tensor<4xf32>'}}
  %y = sg.fetch %x : tensor<4xf32>
  return
}

// -----

func.func @computes_there(%x: tensor<4xf32>) {
  %h = sg.offload %x : tensor<4xf32>
  // expected-error@+1 {{'sg.relu' op operand #0 must be}}
  %y = sg.relu %h : tensor<4xf32, #sg.host>
  return
}
