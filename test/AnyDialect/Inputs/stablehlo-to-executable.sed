# The unregistered ops of unregistered-mlp.mlir, in generic form, as ops that the
# stock tools execute. Attributes are left as they are.
s/"stablehlo\.\(dot_general\|custom_call\|send\)"/"func.call"/
s/computed_by = /callee = /
s/"stablehlo\.tanh"/"math.tanh"/
s/"stablehlo\.subtract"/"arith.subf"/
s/"stablehlo\.multiply"/"arith.mulf"/
s/"stablehlo\.constant"/"arith.constant"/
