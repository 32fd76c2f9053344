"""check_predictions.py PREDICTED EVALUATED: the logits of 'reprise predict --json
--top 3' on DATA/CLASS/FILE have the loss and the accuracy of 'reprise eval --json'.
The loss is summed in the order of the rows, as it is there."""
import json
import math
import sys

predicted, evaluated = (json.load(open(path)) for path in sys.argv[1:])
loss = correct = 0
for row in predicted["rows"]:
    truth = row["row"].split("/")[-2]
    logits = {guess["class"]: guess["logit"] for guess in row["top"]}
    assert len(logits) == 3, logits
    assert sorted(logits.values(), reverse=True) == list(logits.values())
    assert abs(sum(g["probability"] for g in row["top"]) - 1) < 1e-12
    top = max(logits.values())
    total = sum(math.exp(logits[name] - top) for name in sorted(logits))
    loss += math.log(total) + top - logits[truth]
    correct += row["top"][0]["class"] == truth
images = len(predicted["rows"])
assert images == evaluated["images"] == 12, images
assert correct == evaluated["correct"], (correct, evaluated["correct"])
assert abs(loss / images - evaluated["loss"]) < 1e-14, (loss / images,
                                                         evaluated["loss"])
