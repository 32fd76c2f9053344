# The unregistered ops of unregistered-mlp.mlir, in generic form, as ops that the
# stock tools execute. Attributes are left as they are.
s/"mhlo\.\(dot_general\|custom_call\|send\)"/"func.call"/
s/computed_by = /callee = /
s/"mhlo\.tanh"/"math.tanh"/
s/"mhlo\.subtract"/"arith.subf"/
s/"mhlo\.multiply"/"arith.mulf"/
s/"mhlo\.constant"/"arith.constant"/
