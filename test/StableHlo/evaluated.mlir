// The evaluator computes of each op what NumPy did: convolutions by dilating,
// padding and correlating, windows by loops.
// RUN: evaluate-stablehlo %s
// RUN: sed 's/dense<\[\[1.5, 2.25, /dense<[[1.5, 2.75, /' %s > %t.wrong.mlir
// RUN: not evaluate-stablehlo %t.wrong.mlir 2>&1 | FileCheck %s
// CHECK: error: 'stablehlo.custom_call' op finds 2.25{{.*}} where 2.75{{.*}} is expected, at element 1

module {
  func.func @main() {
    %v1 = stablehlo.constant dense<[[1.5, -2.25, 0.5], [3.0, -0.125, 2.0]]> : tensor<2x3xf32>
    %v2 = stablehlo.constant dense<[[0.5, 4.0, -1.0], [2.0, 8.0, 0.25]]> : tensor<2x3xf32>
    %v3 = stablehlo.abs %v1 : tensor<2x3xf32>
    %v4 = stablehlo.constant dense<[[1.5, 2.25, 0.5], [3.0, 0.125, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v3, %v4) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v5 = stablehlo.ceil %v1 : tensor<2x3xf32>
    %v6 = stablehlo.constant dense<[[2.0, -2.0, 1.0], [3.0, -0.0, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v5, %v6) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v7 = stablehlo.floor %v1 : tensor<2x3xf32>
    %v8 = stablehlo.constant dense<[[1.0, -3.0, 0.0], [3.0, -1.0, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v7, %v8) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v9 = stablehlo.cosine %v1 : tensor<2x3xf32>
    %v10 = stablehlo.constant dense<[[0.07073719799518585, -0.6281736493110657, 0.8775825500488281], [-0.9899924993515015, 0.9921976923942566, -0.41614681482315063]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v9, %v10) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v11 = stablehlo.sine %v1 : tensor<2x3xf32>
    %v12 = stablehlo.constant dense<[[0.9974949955940247, -0.7780731916427612, 0.4794255495071411], [0.14112000167369843, -0.1246747300028801, 0.9092974066734314]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v11, %v12) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v13 = stablehlo.exponential %v1 : tensor<2x3xf32>
    %v14 = stablehlo.constant dense<[[4.481688976287842, 0.1053992211818695, 1.6487212181091309], [20.08553695678711, 0.8824968934059143, 7.3890557289123535]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v13, %v14) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v15 = stablehlo.exponential_minus_one %v1 : tensor<2x3xf32>
    %v16 = stablehlo.constant dense<[[3.481688976287842, -0.8946007490158081, 0.6487212777137756], [19.08553695678711, -0.1175030991435051, 6.389056205749512]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v15, %v16) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v17 = stablehlo.negate %v1 : tensor<2x3xf32>
    %v18 = stablehlo.constant dense<[[-1.5, 2.25, -0.5], [-3.0, 0.125, -2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v17, %v18) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v19 = stablehlo.sign %v1 : tensor<2x3xf32>
    %v20 = stablehlo.constant dense<[[1.0, -1.0, 1.0], [1.0, -1.0, 1.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v19, %v20) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v21 = stablehlo.tanh %v1 : tensor<2x3xf32>
    %v22 = stablehlo.constant dense<[[0.9051482081413269, -0.9780260920524597, 0.46211719512939453], [0.9950547814369202, -0.12435299903154373, 0.9640275835990906]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v21, %v22) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v23 = stablehlo.round_nearest_even %v1 : tensor<2x3xf32>
    %v24 = stablehlo.constant dense<[[2.0, -2.0, 0.0], [3.0, -0.0, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v23, %v24) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v25 = stablehlo.cbrt %v1 : tensor<2x3xf32>
    %v26 = stablehlo.constant dense<[[1.1447142362594604, -1.310370683670044, 0.7937005162239075], [1.4422496557235718, -0.5, 1.2599210739135742]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v25, %v26) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v27 = stablehlo.logistic %v1 : tensor<2x3xf32>
    %v28 = stablehlo.constant dense<[[0.8175745010375977, 0.09534946829080582, 0.622459352016449], [0.9525741338729858, 0.46879062056541443, 0.8807970285415649]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v27, %v28) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v29 = stablehlo.constant dense<[[1.5, 2.25, 0.5], [3.0, 0.125, 2.0]]> : tensor<2x3xf32>
    %v30 = stablehlo.log %v29 : tensor<2x3xf32>
    %v31 = stablehlo.constant dense<[[0.40546509623527527, 0.8109302520751953, -0.6931471824645996], [1.0986123085021973, -2.079441547393799, 0.6931471824645996]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v30, %v31) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v32 = stablehlo.log_plus_one %v29 : tensor<2x3xf32>
    %v33 = stablehlo.constant dense<[[0.9162907600402832, 1.1786550283432007, 0.40546512603759766], [1.3862943649291992, 0.11778303235769272, 1.0986123085021973]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v32, %v33) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v34 = stablehlo.sqrt %v29 : tensor<2x3xf32>
    %v35 = stablehlo.constant dense<[[1.2247449159622192, 1.5, 0.7071067690849304], [1.7320507764816284, 0.3535533845424652, 1.4142135381698608]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v34, %v35) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v36 = stablehlo.rsqrt %v29 : tensor<2x3xf32>
    %v37 = stablehlo.constant dense<[[0.8164965510368347, 0.6666666865348816, 1.4142135381698608], [0.5773502588272095, 2.8284270763397217, 0.7071067690849304]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v36, %v37) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v38 = stablehlo.add %v1, %v2 : tensor<2x3xf32>
    %v39 = stablehlo.constant dense<[[2.0, 1.75, -0.5], [5.0, 7.875, 2.25]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v38, %v39) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v40 = stablehlo.subtract %v1, %v2 : tensor<2x3xf32>
    %v41 = stablehlo.constant dense<[[1.0, -6.25, 1.5], [1.0, -8.125, 1.75]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v40, %v41) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v42 = stablehlo.multiply %v1, %v2 : tensor<2x3xf32>
    %v43 = stablehlo.constant dense<[[0.75, -9.0, -0.5], [6.0, -1.0, 0.5]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v42, %v43) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v44 = stablehlo.divide %v1, %v2 : tensor<2x3xf32>
    %v45 = stablehlo.constant dense<[[3.0, -0.5625, -0.5], [1.5, -0.015625, 8.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v44, %v45) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v46 = stablehlo.maximum %v1, %v2 : tensor<2x3xf32>
    %v47 = stablehlo.constant dense<[[1.5, 4.0, 0.5], [3.0, 8.0, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v46, %v47) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v48 = stablehlo.minimum %v1, %v2 : tensor<2x3xf32>
    %v49 = stablehlo.constant dense<[[0.5, -2.25, -1.0], [2.0, -0.125, 0.25]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v48, %v49) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v50 = stablehlo.atan2 %v1, %v2 : tensor<2x3xf32>
    %v51 = stablehlo.constant dense<[[1.2490458488464355, -0.5123894810676575, 2.677945137023926], [0.9827938079833984, -0.01562372874468565, 1.446441411972046]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v50, %v51) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v52 = stablehlo.remainder %v1, %v2 : tensor<2x3xf32>
    %v53 = stablehlo.constant dense<[[0.0, -2.25, 0.5], [1.0, -0.125, 0.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v52, %v53) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v54 = stablehlo.power %v29, %v2 : tensor<2x3xf32>
    %v55 = stablehlo.constant dense<[[1.2247447967529297, 25.62890625, 2.0], [9.0, 5.960464477539063e-08, 1.1892070770263672]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v54, %v55) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v56 = stablehlo.constant dense<[7, -8, 5, 0]> : tensor<4xi32>
    %v57 = stablehlo.constant dense<[2, 3, -4, 9]> : tensor<4xi32>
    %v58 = stablehlo.add %v56, %v57 : tensor<4xi32>
    %v59 = stablehlo.constant dense<[9, -5, 1, 9]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v58, %v59) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v60 = stablehlo.subtract %v56, %v57 : tensor<4xi32>
    %v61 = stablehlo.constant dense<[5, -11, 9, -9]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v60, %v61) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v62 = stablehlo.multiply %v56, %v57 : tensor<4xi32>
    %v63 = stablehlo.constant dense<[14, -24, -20, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v62, %v63) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v64 = stablehlo.maximum %v56, %v57 : tensor<4xi32>
    %v65 = stablehlo.constant dense<[7, 3, 5, 9]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v64, %v65) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v66 = stablehlo.minimum %v56, %v57 : tensor<4xi32>
    %v67 = stablehlo.constant dense<[2, -8, -4, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v66, %v67) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v68 = stablehlo.divide %v56, %v57 : tensor<4xi32>
    %v69 = stablehlo.constant dense<[3, -2, -1, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v68, %v69) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v70 = stablehlo.remainder %v56, %v57 : tensor<4xi32>
    %v71 = stablehlo.constant dense<[1, -2, 1, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v70, %v71) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v72 = stablehlo.and %v56, %v57 : tensor<4xi32>
    %v73 = stablehlo.constant dense<[2, 0, 4, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v72, %v73) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v74 = stablehlo.or %v56, %v57 : tensor<4xi32>
    %v75 = stablehlo.constant dense<[7, -5, -3, 9]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v74, %v75) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v76 = stablehlo.xor %v56, %v57 : tensor<4xi32>
    %v77 = stablehlo.constant dense<[5, -5, -7, 9]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v76, %v77) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v78 = stablehlo.not %v56 : tensor<4xi32>
    %v79 = stablehlo.constant dense<[-8, 7, -6, -1]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v78, %v79) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v80 = stablehlo.popcnt %v56 : tensor<4xi32>
    %v81 = stablehlo.constant dense<[3, 29, 2, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%v80, %v81) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %v82 = stablehlo.compare GT, %v1, %v2, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %v83 = stablehlo.constant dense<[[true, false, true], [true, false, true]]> : tensor<2x3xi1>
    stablehlo.custom_call @check.expect_eq(%v82, %v83) {has_side_effect = true} : (tensor<2x3xi1>, tensor<2x3xi1>) -> ()
    %v84 = stablehlo.select %v82, %v1, %v2 : tensor<2x3xi1>, tensor<2x3xf32>
    %v85 = stablehlo.constant dense<[[1.5, 4.0, 0.5], [3.0, 8.0, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v84, %v85) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v86 = stablehlo.constant dense<-1.0> : tensor<f32>
    %v87 = stablehlo.constant dense<1.0> : tensor<f32>
    %v88 = stablehlo.clamp %v86, %v1, %v87 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %v89 = stablehlo.constant dense<[[1.0, -1.0, 0.5], [1.0, -0.125, 1.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v88, %v89) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v90 = stablehlo.convert %v1 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %v91 = stablehlo.constant dense<[[1, -2, 0], [3, 0, 2]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%v90, %v91) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    %v92 = stablehlo.reduce_precision %v1, format = e5m2 : tensor<2x3xf32>
    %v93 = stablehlo.constant dense<[[1.5, -2.0, 0.5], [3.0, -0.125, 2.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v92, %v93) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v94 = stablehlo.is_finite %v1 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %v95 = stablehlo.constant dense<[[true, true, true], [true, true, true]]> : tensor<2x3xi1>
    stablehlo.custom_call @check.expect_eq(%v94, %v95) {has_side_effect = true} : (tensor<2x3xi1>, tensor<2x3xi1>) -> ()
    %v96 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %v97 = stablehlo.constant dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%v96, %v97) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    %v98 = stablehlo.broadcast_in_dim %v1, dims = [2, 1] : (tensor<2x3xf32>) -> tensor<2x3x2xf32>
    %v99 = stablehlo.constant dense<[[[1.5, 3.0], [-2.25, -0.125], [0.5, 2.0]], [[1.5, 3.0], [-2.25, -0.125], [0.5, 2.0]]]> : tensor<2x3x2xf32>
    stablehlo.custom_call @check.expect_close(%v98, %v99) {has_side_effect = true} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
    %v100 = stablehlo.reshape %v1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %v101 = stablehlo.constant dense<[[1.5, -2.25], [0.5, 3.0], [-0.125, 2.0]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_close(%v100, %v101) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %v102 = stablehlo.transpose %v1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %v103 = stablehlo.constant dense<[[1.5, 3.0], [-2.25, -0.125], [0.5, 2.0]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_close(%v102, %v103) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %v104 = stablehlo.reverse %v1, dims = [1] : tensor<2x3xf32>
    %v105 = stablehlo.constant dense<[[0.5, -2.25, 1.5], [2.0, -0.125, 3.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v104, %v105) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v106 = stablehlo.slice %v1 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %v107 = stablehlo.constant dense<[[1.5, 0.5], [3.0, 2.0]]> : tensor<2x2xf32>
    stablehlo.custom_call @check.expect_close(%v106, %v107) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    %v108 = stablehlo.constant dense<-1.0> : tensor<f32>
    %v109 = stablehlo.pad %v1, %v108, low = [1, -2], high = [0, 1], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
    %v110 = stablehlo.constant dense<[[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0], [-1.0, -2.25, -1.0, -1.0, 0.5, -1.0], [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0], [-1.0, -0.125, -1.0, -1.0, 2.0, -1.0]]> : tensor<4x6xf32>
    stablehlo.custom_call @check.expect_close(%v109, %v110) {has_side_effect = true} : (tensor<4x6xf32>, tensor<4x6xf32>) -> ()
    %v111 = stablehlo.concatenate %v1, %v2, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    %v112 = stablehlo.constant dense<[[1.5, -2.25, 0.5, 0.5, 4.0, -1.0], [3.0, -0.125, 2.0, 2.0, 8.0, 0.25]]> : tensor<2x6xf32>
    stablehlo.custom_call @check.expect_close(%v111, %v112) {has_side_effect = true} : (tensor<2x6xf32>, tensor<2x6xf32>) -> ()
    %v113 = stablehlo.constant dense<9> : tensor<i32>
    %v114 = stablehlo.constant dense<0> : tensor<i32>
    %v115 = stablehlo.dynamic_slice %v1, %v114, %v113, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %v116 = stablehlo.constant dense<[[-2.25, 0.5]]> : tensor<1x2xf32>
    stablehlo.custom_call @check.expect_close(%v115, %v116) {has_side_effect = true} : (tensor<1x2xf32>, tensor<1x2xf32>) -> ()
    %v117 = stablehlo.constant dense<[[10.0, 20.0]]> : tensor<1x2xf32>
    %v118 = stablehlo.dynamic_update_slice %v1, %v117, %v113, %v113 : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %v119 = stablehlo.constant dense<[[1.5, -2.25, 0.5], [3.0, 10.0, 20.0]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_close(%v118, %v119) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %v120 = stablehlo.constant dense<[[[0.0, 0.0, 1.0, 2.0], [-2.0, -1.5, 1.25, 2.0], [-1.0, -0.75, 1.5, -0.25]], [[-1.0, 1.5, -1.0, -0.5], [0.5, 0.25, -1.75, -2.0], [1.5, 1.0, 1.5, 0.25]]]> : tensor<2x3x4xf32>
    %v121 = stablehlo.constant dense<[[[1.25, -0.75, -0.25, 1.25, -1.5], [-0.75, -1.5, -0.25, 2.0, -1.5], [-0.5, -0.5, 1.75, -1.25, 0.0], [-1.0, -2.0, 1.0, -1.75, -1.0]], [[0.0, 0.0, -1.75, 2.0, 1.0], [2.0, -1.75, 1.0, -1.0, 0.25], [1.75, -1.0, 1.0, -1.5, -0.75], [2.0, -0.25, 0.0, -1.0, -1.75]]]> : tensor<2x4x5xf32>
    %v122 = stablehlo.dot_general %v120, %v121, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %v123 = stablehlo.constant dense<[[[-2.5, -4.5, 3.75, -4.75, -2.0], [-4.0, -0.875, 5.0625, -10.5625, 3.25], [-1.1875, 1.625, 2.8125, -4.1875, 2.875]], [[0.25, -1.5, 2.25, -1.5, 1.0], [-6.5625, 1.8125, -2.375, 5.375, 5.375], [5.125, -3.3125, -0.125, -0.5, 0.1875]]]> : tensor<2x3x5xf32>
    stablehlo.custom_call @check.expect_close(%v122, %v123) {has_side_effect = true} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> ()
    %v124 = stablehlo.constant dense<[[-0.25, 0.5, -0.25, 1.25], [-0.5, 0.5, 1.25, 1.75], [-0.25, -2.0, 1.0, 0.0], [1.5, -0.25, -0.5, -1.75], [-0.25, 0.5, 1.25, 1.5]]> : tensor<5x4xf32>
    %v125 = stablehlo.dot_general %v120, %v124, contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
    %v126 = stablehlo.constant dense<[[[2.25, 4.75, 1.0, -4.0, 4.25], [1.9375, 5.3125, 4.75, -6.75, 4.3125], [-0.8125, 1.5625, 3.25, -1.625, 1.375]], [[0.625, -0.875, -3.75, -0.5, -1.0], [-2.0625, -5.8125, -2.375, 5.0625, -5.1875], [0.0625, 2.0625, -0.875, 0.8125, 2.375]]]> : tensor<2x3x5xf32>
    stablehlo.custom_call @check.expect_close(%v125, %v126) {has_side_effect = true} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> ()
    %v127 = stablehlo.constant dense<[[[[0.75, 1.0, 0.25, -0.5], [-1.0, -0.25, 0.25, -0.5], [-1.5, -1.75, -2.0, -1.25], [-0.5, -1.0, -1.25, -0.75]], [[1.0, -0.75, 1.75, 0.25], [-1.5, 2.0, 1.5, 1.25], [-1.5, 1.25, 0.75, 1.0], [1.0, 0.5, -0.75, 1.75]]], [[[2.0, 0.75, -0.5, 0.0], [0.25, -1.75, -1.75, 0.0], [0.25, -1.25, -1.0, -1.5], [1.75, 0.0, -1.0, 1.25]], [[2.0, -0.75, 1.75, 1.25], [1.25, 0.0, 1.75, -1.5], [-1.75, 2.0, 0.0, -0.5], [1.0, -0.75, 0.5, 1.5]]], [[[1.25, -1.5, 2.0, 1.0], [0.75, -1.25, 1.75, -0.5], [2.0, -1.25, -1.75, 1.5], [0.25, -0.5, 2.0, 2.0]], [[-2.0, 0.5, 1.25, 0.75], [0.5, 0.0, 0.25, -0.75], [-1.5, -0.5, 0.75, 1.75], [2.0, -1.25, -2.0, 2.0]]]]> : tensor<3x2x4x4xf32>
    %v128 = stablehlo.constant dense<[[[[-1.25, 0.5, 1.25, -1.0], [-0.75, 1.5, 0.25, 0.0], [0.75, 0.0, 2.0, 1.0], [-2.0, -1.5, 0.25, 1.25]], [[-1.75, 0.75, 1.0, 1.25], [1.5, -1.25, 0.25, 1.25], [-0.5, -1.25, 0.0, -1.75], [-1.25, 1.5, 0.75, 1.5]], [[1.5, 1.5, -0.75, 0.0], [0.5, -1.0, 1.75, -2.0], [1.5, 0.5, -1.0, 1.0], [-0.25, 1.5, 2.0, -1.0]], [[-0.25, -1.25, 0.75, 0.5], [1.5, 1.25, 2.0, 2.0], [1.75, -1.5, -2.0, 0.0], [-0.75, 1.75, 1.25, -0.25]], [[0.25, 0.5, 1.75, -2.0], [0.0, 0.75, -0.25, 1.75], [2.0, 1.5, -0.25, 1.75], [-1.75, 0.75, -1.0, -1.0]]], [[[0.75, 1.25, 1.75, -1.25], [1.5, 1.5, -0.75, -1.75], [1.25, 1.5, -0.25, -1.5], [-1.5, -0.5, 1.0, -0.75]], [[-2.0, 0.75, 1.0, -1.25], [0.25, -0.5, 0.0, -2.0], [0.5, -1.0, 0.25, -0.25], [0.5, -1.75, -0.5, 0.5]], [[1.25, -0.5, -2.0, 1.0], [0.0, 0.75, -1.5, -0.25], [1.75, 1.5, -0.75, 0.5], [-1.75, 1.25, -1.0, -0.75]], [[2.0, 0.25, 1.5, -1.25], [1.0, 2.0, -1.75, -1.0], [-1.5, -1.0, -0.75, -1.75], [1.75, -1.0, 1.75, 1.0]], [[-1.5, 0.75, 1.25, -1.5], [-1.5, -0.5, -1.75, -0.25], [0.0, 0.75, 0.25, -0.25], [-1.25, 0.25, -0.25, 1.5]]]]> : tensor<2x5x4x4xf32>
    %v129 = stablehlo.convolution(%v128, %v127) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x4x4xf32>, tensor<3x2x4x4xf32>) -> tensor<2x5x5x4xf32>
    %v130 = stablehlo.constant dense<[[[[-4.6875, -3.4375, -1.375, 0.4375], [-3.4375, -0.5, 4.75, 3.125], [1.8125, -0.5625, -19.1875, -1.375], [-0.6875, -0.875, 3.9375, 3.3125], [0.0, 0.0, 0.0, 0.0]], [[-11.4375, -5.4375, 10.6875, 6.875], [0.5625, 4.875, -10.8125, 3.6875], [-9.875, -3.1875, 5.0, -5.75], [4.25, -11.3125, -10.5625, 1.25], [0.0, 0.0, 0.0, 0.0]], [[-3.0625, -5.5625, -11.625, 9.125], [11.125, -12.25, 8.3125, -1.3125], [-2.8125, 14.6875, 6.625, 4.125], [-2.875, -12.25, -7.9375, -6.6875], [0.0, 0.0, 0.0, 0.0]], [[9.375, -0.5625, 2.125, -0.8125], [16.5625, -12.625, -1.3125, 12.4375], [2.9375, 12.4375, 20.5, -1.25], [-9.25, -4.875, -8.5625, -10.1875], [0.0, 0.0, 0.0, 0.0]], [[-1.0, -1.5625, 3.4375, 3.375], [14.125, -15.4375, -2.3125, -3.25], [5.875, 10.375, -0.875, 3.4375], [-9.375, -4.5, -0.375, -1.625], [0.0, 0.0, 0.0, 0.0]]], [[[-0.5, -1.0625, -1.4375, -13.625], [0.5, 0.8125, -0.125, -6.3125], [-5.75, 2.5, -8.25, -1.5625], [-5.75, 0.3125, 1.1875, -0.8125], [0.0, 0.0, 0.0, 0.0]], [[-12.375, -2.25, 9.375, -12.0], [-7.6875, 8.25, 16.0, -4.0625], [4.1875, 0.625, 7.875, -2.3125], [-3.875, 4.375, 0.1875, -3.6875], [0.0, 0.0, 0.0, 0.0]], [[7.8125, -5.3125, 4.625, -4.4375], [8.75, -1.9375, 15.9375, -6.5], [-0.0625, -0.125, -13.0, -3.0], [3.0625, -5.0, 1.1875, 8.3125], [0.0, 0.0, 0.0, 0.0]], [[19.3125, 0.0, -3.5, -13.125], [-7.9375, 9.4375, 0.9375, -2.125], [-1.5, 3.875, 2.8125, 1.9375], [3.25, 2.4375, 2.3125, 1.9375], [0.0, 0.0, 0.0, 0.0]], [[-6.6875, -5.0625, -0.625, -7.1875], [-2.5, 4.5, 6.9375, -3.3125], [3.0625, -1.125, 2.875, 5.9375], [-0.6875, -3.125, -5.625, -1.0625], [0.0, 0.0, 0.0, 0.0]]]]> : tensor<2x5x5x4xf32>
    stablehlo.custom_call @check.expect_close(%v129, %v130) {has_side_effect = true} : (tensor<2x5x5x4xf32>, tensor<2x5x5x4xf32>) -> ()
    %v131 = stablehlo.constant dense<[[[[0.75, 1.0, 1.25, -0.5], [1.5, 0.5, 0.5, -0.5]], [[-0.75, -0.5, 1.0, 0.0], [-2.0, -2.0, -1.25, 0.0]]], [[[0.5, 2.0, 1.25, -1.0], [0.0, 1.0, 1.75, -0.25]], [[1.0, -1.25, -0.25, 1.75], [-0.5, -2.0, 1.25, -0.75]]], [[[-0.25, 2.0, -0.5, -1.0], [-1.25, 1.5, -1.25, 0.5]], [[-1.0, 1.25, 1.0, 0.5], [-0.25, -0.5, 2.0, 1.0]]]]> : tensor<3x2x2x4xf32>
    %v132 = stablehlo.constant dense<[[[[-1.25, 0.5, 1.25, -1.0], [-0.75, 1.5, 0.25, 0.0], [0.75, 0.0, 2.0, 1.0], [-2.0, -1.5, 0.25, 1.25]], [[-1.75, 0.75, 1.0, 1.25], [1.5, -1.25, 0.25, 1.25], [-0.5, -1.25, 0.0, -1.75], [-1.25, 1.5, 0.75, 1.5]], [[1.5, 1.5, -0.75, 0.0], [0.5, -1.0, 1.75, -2.0], [1.5, 0.5, -1.0, 1.0], [-0.25, 1.5, 2.0, -1.0]], [[-0.25, -1.25, 0.75, 0.5], [1.5, 1.25, 2.0, 2.0], [1.75, -1.5, -2.0, 0.0], [-0.75, 1.75, 1.25, -0.25]], [[0.25, 0.5, 1.75, -2.0], [0.0, 0.75, -0.25, 1.75], [2.0, 1.5, -0.25, 1.75], [-1.75, 0.75, -1.0, -1.0]]], [[[0.75, 1.25, 1.75, -1.25], [1.5, 1.5, -0.75, -1.75], [1.25, 1.5, -0.25, -1.5], [-1.5, -0.5, 1.0, -0.75]], [[-2.0, 0.75, 1.0, -1.25], [0.25, -0.5, 0.0, -2.0], [0.5, -1.0, 0.25, -0.25], [0.5, -1.75, -0.5, 0.5]], [[1.25, -0.5, -2.0, 1.0], [0.0, 0.75, -1.5, -0.25], [1.75, 1.5, -0.75, 0.5], [-1.75, 1.25, -1.0, -0.75]], [[2.0, 0.25, 1.5, -1.25], [1.0, 2.0, -1.75, -1.0], [-1.5, -1.0, -0.75, -1.75], [1.75, -1.0, 1.75, 1.0]], [[-1.5, 0.75, 1.25, -1.5], [-1.5, -0.5, -1.75, -0.25], [0.0, 0.75, 0.25, -0.25], [-1.25, 0.25, -0.25, 1.5]]]]> : tensor<2x5x4x4xf32>
    %v133 = stablehlo.convolution(%v132, %v131) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 0]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4x4xf32>, tensor<3x2x2x4xf32>) -> tensor<2x1x7x4xf32>
    %v134 = stablehlo.constant dense<[[[[-0.125, 4.75, 1.75, -2.125], [0.3125, -5.1875, 0.4375, -2.4375], [1.0, 1.125, -3.0625, -0.25], [-1.625, -1.625, 0.5625, 6.1875], [-1.0625, 10.5, 1.4375, 0.375], [-1.6875, -1.5, 5.5, -0.875], [-4.375, -4.125, 3.4375, -2.0]]], [[[2.5, 1.5, 2.0625, -0.5], [-0.25, -5.6875, 3.3125, -5.125], [4.375, -0.75, -2.9375, 4.4375], [-2.875, -6.875, -0.75, -3.5625], [3.125, 8.125, -0.9375, 1.125], [-3.125, -9.1875, 2.1875, -1.8125], [-2.75, -6.125, -3.4375, 2.0625]]]]> : tensor<2x1x7x4xf32>
    stablehlo.custom_call @check.expect_close(%v133, %v134) {has_side_effect = true} : (tensor<2x1x7x4xf32>, tensor<2x1x7x4xf32>) -> ()
    %v135 = stablehlo.constant dense<[[[[-0.5, -2.0, -1.5, -0.25]], [[-0.25, -0.5, 2.0, 0.0]]], [[[1.25, -1.5, -0.5, -1.25]], [[-1.5, 0.25, -1.5, -0.5]]], [[[0.75, 1.25, 0.25, 0.5]], [[-0.75, 1.5, -1.25, 1.0]]]]> : tensor<3x2x1x4xf32>
    %v136 = stablehlo.constant dense<[[[[-1.25, 0.5, 1.25, -1.0], [-0.75, 1.5, 0.25, 0.0], [0.75, 0.0, 2.0, 1.0], [-2.0, -1.5, 0.25, 1.25]], [[-1.75, 0.75, 1.0, 1.25], [1.5, -1.25, 0.25, 1.25], [-0.5, -1.25, 0.0, -1.75], [-1.25, 1.5, 0.75, 1.5]], [[1.5, 1.5, -0.75, 0.0], [0.5, -1.0, 1.75, -2.0], [1.5, 0.5, -1.0, 1.0], [-0.25, 1.5, 2.0, -1.0]], [[-0.25, -1.25, 0.75, 0.5], [1.5, 1.25, 2.0, 2.0], [1.75, -1.5, -2.0, 0.0], [-0.75, 1.75, 1.25, -0.25]], [[0.25, 0.5, 1.75, -2.0], [0.0, 0.75, -0.25, 1.75], [2.0, 1.5, -0.25, 1.75], [-1.75, 0.75, -1.0, -1.0]]], [[[0.75, 1.25, 1.75, -1.25], [1.5, 1.5, -0.75, -1.75], [1.25, 1.5, -0.25, -1.5], [-1.5, -0.5, 1.0, -0.75]], [[-2.0, 0.75, 1.0, -1.25], [0.25, -0.5, 0.0, -2.0], [0.5, -1.0, 0.25, -0.25], [0.5, -1.75, -0.5, 0.5]], [[1.25, -0.5, -2.0, 1.0], [0.0, 0.75, -1.5, -0.25], [1.75, 1.5, -0.75, 0.5], [-1.75, 1.25, -1.0, -0.75]], [[2.0, 0.25, 1.5, -1.25], [1.0, 2.0, -1.75, -1.0], [-1.5, -1.0, -0.75, -1.75], [1.75, -1.0, 1.75, 1.0]], [[-1.5, 0.75, 1.25, -1.5], [-1.5, -0.5, -1.75, -0.25], [0.0, 0.75, 0.25, -0.25], [-1.25, 0.25, -0.25, 1.5]]]]> : tensor<2x5x4x4xf32>
    %v137 = stablehlo.convolution(%v136, %v135) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x5x4x4xf32>, tensor<3x2x1x4xf32>) -> tensor<2x11x8x4xf32>
    %v138 = stablehlo.constant dense<[[[[0.625, -1.0, -1.875, 0.25], [0.3125, -0.25, 2.5, 0.0], [0.375, -3.0, -0.375, 0.0], [0.1875, -0.75, 0.5, 0.0], [-0.375, 0.0, -3.0, -0.25], [-0.1875, 0.0, 4.0, 0.0], [1.0, 3.0, -0.375, -0.3125], [0.5, 0.75, 0.5, 0.0]], [[-1.5625, -0.75, -0.625, 1.25], [1.875, 0.125, -1.875, 0.5], [-0.9375, -2.25, -0.125, 0.0], [1.125, 0.375, -0.375, 0.0], [0.9375, 0.0, -1.0, -1.25], [-1.125, 0.0, -3.0, -0.5], [-2.5, 2.25, -0.125, -1.5625], [3.0, -0.375, -0.375, -0.625]], [[-0.0625, -0.875, -1.1875, -0.8125], [1.375, 0.375, 0.4375, -1.0], [-1.3125, 4.375, -0.3125, -0.3125], [0.1875, 2.875, 0.1875, 0.0], [0.8125, 2.5, 0.5, 0.9375], [-0.4375, 0.625, -2.5, 1.0], [-0.875, -4.875, -1.0625, 0.25], [1.8125, -3.0, 1.1875, 1.25]], [[-2.1875, -1.125, -0.5, -1.5625], [2.625, 0.1875, -1.5, -0.625], [1.875, 1.875, -0.125, -1.5625], [-2.25, -0.3125, -0.375, -0.625], [-0.625, 1.875, 0.0, 2.1875], [0.75, -0.3125, 0.0, 0.875], [-1.5625, -2.25, -0.375, -1.875], [1.875, 0.375, -1.125, -0.75]], [[-2.0625, -2.0625, 1.375, 0.625], [0.9375, 0.375, -2.75, 1.25], [0.875, 0.4375, -2.5625, 1.125], [-1.25, -1.375, 3.1875, 1.25], [-1.125, -2.5625, 1.5, -1.125], [0.0, -2.125, -2.0, -1.75], [-0.8125, -1.125, -2.8125, 1.0], [1.0, 1.5, 3.0625, 1.5]], [[1.875, -2.25, 0.375, 0.0], [-2.25, 0.375, 1.125, 0.0], [0.625, 1.5, -0.875, 2.5], [-0.75, -0.25, -2.625, 1.0], [1.875, -0.75, 0.5, -1.25], [-2.25, 0.125, 1.5, -0.5], [-0.3125, -2.25, -1.0, 1.25], [0.375, 0.375, -3.0, 0.5]], [[1.25, 4.375, -1.3125, -0.125], [-1.0625, 2.875, 2.4375, 0.0], [-0.375, -3.75, -2.5625, -1.5], [-0.75, -2.125, 1.8125, -2.0], [0.25, 3.625, 2.75, 0.5], [-1.5625, 1.5, -2.75, 1.0], [0.1875, -1.625, -1.375, -0.4375], [0.375, 1.375, 0.0, -1.0]], [[-0.3125, 1.875, -0.375, -0.625], [0.375, -0.3125, -1.125, -0.25], [1.875, -1.875, -1.0, -2.5], [-2.25, 0.3125, -3.0, -1.0], [2.1875, 2.25, 1.0, 0.0], [-2.625, -0.375, 3.0, 0.0], [-0.9375, -2.625, -0.625, 0.3125], [1.125, 0.4375, -1.875, 0.125]], [[-0.3125, -2.5625, -2.4375, 0.75], [0.125, -2.125, 2.5625, 0.5], [1.125, 0.0625, 0.875, 0.5625], [-1.125, 1.5, -3.0, 2.0], [0.3125, -4.875, -0.125, -0.4375], [-1.8125, -3.0, 2.0, 0.0], [0.3125, 0.6875, 1.8125, 0.125], [1.0, 2.25, -3.5625, -0.25]], [[0.3125, -0.75, -0.875, 2.5], [-0.375, 0.125, -2.625, 1.0], [0.0, -1.125, 0.125, -2.1875], [0.0, 0.1875, 0.375, -0.875], [2.5, -2.25, 0.125, -2.1875], [-3.0, 0.375, 0.375, -0.875], [-2.1875, -1.125, 0.5, 1.25], [2.625, 0.1875, 1.5, 0.5]], [[0.1875, 0.625, 0.4375, -1.0], [-0.1875, 0.75, -2.1875, -2.0], [0.0, 0.9375, -0.0625, 0.875], [0.0, 1.125, 0.3125, 1.75], [1.5, 1.875, -0.0625, 0.875], [-1.5, 2.25, 0.3125, 1.75], [-1.3125, 0.9375, -0.25, -0.5], [1.3125, 1.125, 1.25, -1.0]]], [[[-0.375, -2.5, -2.625, 0.3125], [-0.1875, -0.625, 3.5, 0.0], [-0.75, -3.0, 1.125, 0.4375], [-0.375, -0.75, -1.5, 0.0], [-0.625, -3.0, 0.375, 0.375], [-0.3125, -0.75, -0.5, 0.0], [0.75, 1.0, -1.5, 0.1875], [0.375, 0.25, 2.0, 0.0]], [[0.9375, -1.875, -0.875, 1.5625], [-1.125, 0.3125, -2.625, 0.625], [1.875, -2.25, 0.375, 2.1875], [-2.25, 0.375, 1.125, 0.875], [1.5625, -2.25, 0.125, 1.875], [-1.875, 0.375, 0.375, 0.75], [-1.875, 0.75, -0.5, 0.9375], [2.25, -0.125, -1.5, 0.375]], [[1.5625, 0.0625, -1.0625, -0.3125], [-0.0625, 1.5, -0.1875, -1.25], [1.0, 2.875, -0.1875, -0.375], [-1.1875, 2.5, 0.9375, -1.75], [0.6875, 3.875, -0.4375, -0.6875], [-1.0625, 2.75, 0.8125, -1.5], [-1.375, 2.875, 1.0, -0.5], [1.0, 0.125, -2.25, -0.75]], [[-2.5, -1.125, -0.5, 1.5625], [3.0, 0.1875, -1.5, 0.625], [0.3125, 0.75, 0.0, 2.5], [-0.375, -0.125, 0.0, 1.0], [0.625, 1.5, -0.125, 0.3125], [-0.75, -0.25, -0.375, 0.125], [0.625, 2.625, 0.25, -0.625], [-0.75, -0.4375, 0.75, -0.25]], [[-2.125, 1.9375, 3.25, -0.875], [1.1875, 1.375, -5.25, -1.25], [0.1875, -2.125, 2.25, -0.9375], [-0.1875, -1.125, -3.0, -2.0], [-0.5, -4.25, 1.1875, -0.25], [-0.8125, -2.25, -1.8125, -0.25], [1.25, -4.6875, 1.375, 0.4375], [0.0625, -3.25, -1.375, 0.5]], [[1.5625, 0.75, 1.0, -1.25], [-1.875, -0.125, 3.0, -0.5], [0.0, -1.125, 0.75, 0.3125], [0.0, 0.1875, 2.25, 0.125], [2.1875, -2.25, 0.375, -0.625], [-2.625, 0.375, 1.125, -0.25], [-2.1875, -1.875, 0.5, 0.9375], [2.625, 0.3125, 1.5, 0.375]], [[-0.0625, -1.125, -2.75, 0.8125], [-1.4375, -0.875, 5.5, 1.0], [-0.5, -3.0625, 2.25, 0.125], [-0.25, 0.125, -1.625, -0.25], [2.0625, 3.875, 0.9375, 0.6875], [-0.9375, 2.75, -0.5625, 0.5], [-2.1875, 3.5625, -2.875, -0.625], [0.875, 2.375, 4.75, -0.75]], [[2.5, -0.375, -0.75, 1.5625], [-3.0, 0.0625, -2.25, 0.625], [1.25, -3.0, 0.875, 1.25], [-1.5, 0.5, 2.625, 0.5], [-1.875, 1.5, 0.375, 2.1875], [2.25, -0.25, 1.125, 0.875], [2.1875, 1.5, -0.875, -1.25], [-2.625, -0.25, -2.625, -0.5]], [[2.25, -1.1875, -1.5, -0.25], [-1.125, 0.0, 0.625, -1.25], [1.5, 3.5, 2.1875, -0.4375], [-0.375, 3.25, -1.3125, -1.0], [-1.125, -2.75, -0.5625, -0.8125], [1.125, -1.875, 1.4375, -1.75], [1.9375, -1.75, 0.8125, 0.125], [-1.0, -1.625, -2.6875, 1.0]], [[-1.875, -1.125, -0.625, 1.875], [2.25, 0.1875, -1.875, 0.75], [-1.875, 0.75, 0.875, 0.3125], [2.25, -0.125, 2.625, 0.125], [0.0, -1.125, -0.125, 0.3125], [0.0, 0.1875, -0.375, 0.125], [-1.5625, -0.375, 0.125, -1.875], [1.875, 0.0625, 0.375, -0.75]], [[-1.125, 0.9375, 0.3125, -0.75], [1.125, 1.125, -1.5625, -1.5], [-1.125, -0.625, -0.4375, -0.125], [1.125, -0.75, 2.1875, -0.25], [0.0, 0.9375, 0.0625, -0.125], [0.0, 1.125, -0.3125, -0.25], [-0.9375, 0.3125, -0.0625, 0.75], [0.9375, 0.375, 0.3125, 1.5]]]]> : tensor<2x11x8x4xf32>
    stablehlo.custom_call @check.expect_close(%v137, %v138) {has_side_effect = true} : (tensor<2x11x8x4xf32>, tensor<2x11x8x4xf32>) -> ()
    %v139 = stablehlo.constant dense<[[[[-1.25, 0.5, 1.25, -1.0], [-0.75, 1.5, 0.25, 0.0], [0.75, 0.0, 2.0, 1.0], [-2.0, -1.5, 0.25, 1.25]], [[-1.75, 0.75, 1.0, 1.25], [1.5, -1.25, 0.25, 1.25], [-0.5, -1.25, 0.0, -1.75], [-1.25, 1.5, 0.75, 1.5]], [[1.5, 1.5, -0.75, 0.0], [0.5, -1.0, 1.75, -2.0], [1.5, 0.5, -1.0, 1.0], [-0.25, 1.5, 2.0, -1.0]], [[-0.25, -1.25, 0.75, 0.5], [1.5, 1.25, 2.0, 2.0], [1.75, -1.5, -2.0, 0.0], [-0.75, 1.75, 1.25, -0.25]], [[0.25, 0.5, 1.75, -2.0], [0.0, 0.75, -0.25, 1.75], [2.0, 1.5, -0.25, 1.75], [-1.75, 0.75, -1.0, -1.0]]], [[[0.75, 1.25, 1.75, -1.25], [1.5, 1.5, -0.75, -1.75], [1.25, 1.5, -0.25, -1.5], [-1.5, -0.5, 1.0, -0.75]], [[-2.0, 0.75, 1.0, -1.25], [0.25, -0.5, 0.0, -2.0], [0.5, -1.0, 0.25, -0.25], [0.5, -1.75, -0.5, 0.5]], [[1.25, -0.5, -2.0, 1.0], [0.0, 0.75, -1.5, -0.25], [1.75, 1.5, -0.75, 0.5], [-1.75, 1.25, -1.0, -0.75]], [[2.0, 0.25, 1.5, -1.25], [1.0, 2.0, -1.75, -1.0], [-1.5, -1.0, -0.75, -1.75], [1.75, -1.0, 1.75, 1.0]], [[-1.5, 0.75, 1.25, -1.5], [-1.5, -0.5, -1.75, -0.25], [0.0, 0.75, 0.25, -0.25], [-1.25, 0.25, -0.25, 1.5]]]]> : tensor<2x5x4x4xf32>
    %v140 = stablehlo.constant dense<[[[[-1.75, 0.5, -1.0, -1.0], [-0.75, 1.25, 1.25, -1.0], [0.25, -1.75, 1.75, 2.0], [-0.5, 0.25, 0.25, 1.25]], [[-1.75, 0.0, 1.5, 0.5], [0.25, -2.0, 1.75, -1.25], [-0.75, 0.75, -0.25, 0.25], [0.5, -1.5, -2.0, 2.0]]], [[[1.25, -1.5, 0.75, 0.0], [1.0, -1.5, 0.75, 1.0], [2.0, -1.0, -0.25, -1.5], [-2.0, -2.0, -0.25, -1.5]], [[1.0, -1.25, 0.5, 0.25], [-0.75, -0.25, 2.0, 2.0], [-1.0, 2.0, -1.25, 1.25], [-0.75, 0.75, 0.75, 1.5]]]]> : tensor<2x2x4x4xf32>
    %v141 = stablehlo.convolution(%v139, %v140) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x5x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<1x4x3x4xf32>
    %v142 = stablehlo.constant dense<[[[[3.4375, -7.375, 8.875, -7.6875], [-1.6875, -2.4375, 4.25, -10.4375], [-0.375, 8.375, -4.6875, -10.75]], [[2.5, -2.6875, 11.875, -1.3125], [5.9375, 3.9375, 4.25, 5.4375], [1.1875, -7.75, 0.25, 5.5625]], [[-11.375, 14.0625, 4.625, -4.875], [8.0625, -23.75, 2.5, -4.0625], [-11.375, 7.8125, -3.5625, -3.4375]], [[5.1875, -5.125, 7.8125, -8.0625], [-9.4375, -5.625, -2.125, -7.0], [-2.3125, -8.9375, -1.1875, 6.25]]]]> : tensor<1x4x3x4xf32>
    stablehlo.custom_call @check.expect_close(%v141, %v142) {has_side_effect = true} : (tensor<1x4x3x4xf32>, tensor<1x4x3x4xf32>) -> ()
    %v143 = stablehlo.constant dense<[[[[-1.25, -0.75, 0.75, -2.0], [0.75, 1.5, 1.25, -1.5]], [[-1.75, 1.5, -0.5, -1.25], [-2.0, 0.25, 0.5, 0.5]], [[1.5, 0.5, 1.5, -0.25], [1.25, 0.0, 1.75, -1.75]], [[-0.25, 1.5, 1.75, -0.75], [2.0, 1.0, -1.5, 1.75]], [[0.25, 0.0, 2.0, -1.75], [-1.5, -1.5, 0.0, -1.25]]], [[[0.5, 1.5, 0.0, -1.5], [1.25, 1.5, 1.5, -0.5]], [[0.75, -1.25, -1.25, 1.5], [0.75, -0.5, -1.0, -1.75]], [[1.5, -1.0, 0.5, 1.5], [-0.5, 0.75, 1.5, 1.25]], [[-1.25, 1.25, -1.5, 1.75], [0.25, 2.0, -1.0, -1.0]], [[0.5, 0.75, 1.5, 0.75], [0.75, -0.5, 0.75, 0.25]]], [[[1.25, 0.25, 2.0, 0.25], [1.75, -0.75, -0.25, 1.0]], [[1.0, 0.25, 0.0, 0.75], [1.0, 0.0, 0.25, -0.5]], [[-0.75, 1.75, -1.0, 2.0], [-2.0, -1.5, -0.75, -1.0]], [[0.75, 2.0, -2.0, 1.25], [1.5, -1.75, -0.75, 1.75]], [[1.75, -0.25, -0.25, -1.0], [1.25, -1.75, 0.25, -0.25]]], [[[-1.0, 0.0, 1.0, 1.25], [-1.25, -1.75, -1.5, -0.75]], [[1.25, 1.25, -1.75, 1.5], [-1.25, -2.0, -0.25, 0.5]], [[0.0, -2.0, 1.0, -1.0], [1.0, -0.25, 0.5, -0.75]], [[0.5, 2.0, 0.0, -0.25], [-1.25, -1.0, -1.75, 1.0]], [[-2.0, 1.75, 1.75, -1.0], [-1.5, -0.25, -0.25, 1.5]]]]> : tensor<4x5x2x4xf32>
    %v144 = stablehlo.constant dense<[[[[-0.5, -2.0, 0.5, -1.75], [-1.75, -2.0, 1.0, -1.5], [-1.5, -2.0, 1.25, -1.75]], [[-2.0, -1.0, 0.5, 1.0], [-1.5, -1.75, -0.5, -0.25], [1.25, -0.75, -1.5, -0.75]]], [[[1.75, -1.75, -0.5, 1.75], [0.5, -2.0, 0.75, -1.0], [-0.75, 0.25, -1.75, 0.0]], [[-1.0, 1.0, -1.75, 0.25], [-2.0, -1.25, -0.25, 1.75], [1.0, 2.0, -0.5, -0.25]]], [[[1.5, -1.5, -1.5, 0.5], [-0.25, -0.25, -1.5, -0.5], [0.75, 1.5, -1.0, 2.0]], [[0.75, -1.0, 1.25, 0.75], [-0.5, -1.25, -2.0, 1.75], [1.0, -1.5, -0.25, 1.5]]]]> : tensor<3x2x3x4xf32>
    %v145 = stablehlo.convolution(%v143, %v144) dim_numbers = [f, 0, b, 1]x[o, 1, 0, i]->[0, b, f, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x5x2x4xf32>, tensor<3x2x3x4xf32>) -> tensor<3x2x3x3xf32>
    %v146 = stablehlo.constant dense<[[[[-3.625, 8.8125, 0.3125], [-7.125, -7.3125, 12.25], [-3.4375, -6.625, 1.4375]], [[-3.8125, -3.3125, -2.1875], [-2.1875, 8.3125, 2.8125], [-7.125, 1.9375, 3.8125]]], [[[-9.0625, 3.75, -6.5], [-11.0, 5.0625, -1.5625], [-6.3125, 14.3125, -10.125]], [[-1.3125, -8.0, 2.8125], [-8.5625, -10.75, -0.6875], [-8.3125, 4.5, 2.625]]], [[[-5.4375, -6.4375, -19.4375], [-5.75, 1.1875, 2.75], [-3.875, 6.375, 5.125]], [[-2.375, -7.125, -2.875], [3.75, 3.25, 6.5], [-5.0625, 0.875, -0.3125]]]]> : tensor<3x2x3x3xf32>
    stablehlo.custom_call @check.expect_close(%v145, %v146) {has_side_effect = true} : (tensor<3x2x3x3xf32>, tensor<3x2x3x3xf32>) -> ()
    %v147 = stablehlo.constant dense<0.5> : tensor<f32>
    %v148 = stablehlo.constant dense<0.0> : tensor<f32>
    %v149 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v150 = stablehlo.reduce(%v120 init: %v147) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %v151 = stablehlo.constant dense<[2.5, -2.75, 4.25]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%v150, %v151) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %v152 = stablehlo.reduce(%v120 init: %v149) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %v153 = stablehlo.constant dense<[[0.0, 0.0, 1.5, 2.0], [1.5, 1.5, 1.5, 0.25]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_close(%v152, %v153) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    %v154 = stablehlo.constant dense<[[[-0.25, -0.25, 0.5, -1.75, 1.75], [1.75, -2.0, 0.5, 2.0, -1.75], [-1.5, -1.75, 1.75, -0.25, 2.0], [-1.75, 0.75, 0.5, 0.25, 0.5]]]> : tensor<1x4x5xf32>
    %v155 = "stablehlo.reduce_window"(%v154, %v149) <{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>, padding = dense<[[0, 0], [1, 0], [0, 1]]> : tensor<3x2xi64>}> ({
    ^bb0(%a154: tensor<f32>, %b154: tensor<f32>):
      %r154 = stablehlo.maximum %a154, %b154 : tensor<f32>
      stablehlo.return %r154 : tensor<f32>
    }) : (tensor<1x4x5xf32>, tensor<f32>) -> tensor<1x2x3xf32>
    %v156 = stablehlo.constant dense<[[[-0.25, 0.5, 1.75], [1.75, 2.0, 2.0]]]> : tensor<1x2x3xf32>
    stablehlo.custom_call @check.expect_close(%v155, %v156) {has_side_effect = true} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> ()
    %v157 = stablehlo.constant dense<[[[-1.5, -2.0], [0.5, 1.25]]]> : tensor<1x2x2xf32>
    %v158 = stablehlo.constant dense<[[[-0.25, -0.25, 0.5, -1.75], [1.75, -2.0, 0.5, 2.0], [-1.5, -1.75, 1.75, -0.25], [-1.75, 0.75, 0.5, 0.25]]]> : tensor<1x4x4xf32>
    %v159 = "stablehlo.select_and_scatter"(%v158, %v157, %v148) <{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %ge = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %ge : tensor<i1>
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %ad = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %ad : tensor<f32>
    }) : (tensor<1x4x4xf32>, tensor<1x2x2xf32>, tensor<f32>) -> tensor<1x4x4xf32>
    %v160 = stablehlo.constant dense<[[[0.0, 0.0, 0.0, 0.0], [-1.5, 0.0, 0.0, -2.0], [0.0, 0.0, 1.25, 0.0], [0.0, 0.5, 0.0, 0.0]]]> : tensor<1x4x4xf32>
    stablehlo.custom_call @check.expect_close(%v159, %v160) {has_side_effect = true} : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> ()
    %v161 = stablehlo.constant dense<[[1.75, 1.25, -0.25], [1.75, -2.0, 0.75], [0.0, 0.75, 1.5], [-1.5, 1.25, -2.0], [-0.25, -1.75, -1.0]]> : tensor<5x3xf32>
    %v162 = stablehlo.constant dense<[[4], [0], [9]]> : tensor<3x1xi32>
    %v163 = "stablehlo.gather"(%v161, %v162) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<3x1xi32>) -> tensor<3x3xf32>
    %v164 = stablehlo.constant dense<[[-0.25, -1.75, -1.0], [1.75, 1.25, -0.25], [-0.25, -1.75, -1.0]]> : tensor<3x3xf32>
    stablehlo.custom_call @check.expect_close(%v163, %v164) {has_side_effect = true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> ()
    %v165 = stablehlo.constant dense<[[1, 2], [4, 0]]> : tensor<2x2xi32>
    %v166 = "stablehlo.gather"(%v161, %v165) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x3xf32>, tensor<2x2xi32>) -> tensor<2xf32>
    %v167 = stablehlo.constant dense<[0.75, -0.25]> : tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%v166, %v167) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    %v168 = stablehlo.constant dense<[[2.0, -0.5, 0.5], [2.0, 2.0, -1.75], [-0.75, 2.0, 1.0]]> : tensor<3x3xf32>
    %v169 = "stablehlo.scatter"(%v161, %v162, %v168) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a168: tensor<f32>, %b168: tensor<f32>):
      %r168 = stablehlo.add %a168, %b168 : tensor<f32>
      stablehlo.return %r168 : tensor<f32>
    }) : (tensor<5x3xf32>, tensor<3x1xi32>, tensor<3x3xf32>) -> tensor<5x3xf32>
    %v170 = stablehlo.constant dense<[[3.75, 3.25, -2.0], [1.75, -2.0, 0.75], [0.0, 0.75, 1.5], [-1.5, 1.25, -2.0], [1.75, -2.25, -0.5]]> : tensor<5x3xf32>
    stablehlo.custom_call @check.expect_close(%v169, %v170) {has_side_effect = true} : (tensor<5x3xf32>, tensor<5x3xf32>) -> ()
    %n0 = stablehlo.constant dense<0> : tensor<i32>
    %n1 = stablehlo.constant dense<1> : tensor<i32>
    %n5 = stablehlo.constant dense<5> : tensor<i32>
    %loop:2 = stablehlo.while(%k = %n0, %s = %n1) : tensor<i32>, tensor<i32>
     cond {
      %lt = stablehlo.compare LT, %k, %n5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %n1 : tensor<i32>
      %s1 = stablehlo.add %s, %s : tensor<i32>
      stablehlo.return %k1, %s1 : tensor<i32>, tensor<i32>
    }
    %n32 = stablehlo.constant dense<32> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%loop#1, %n32) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}
