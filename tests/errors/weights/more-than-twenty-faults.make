# load hf
# folder hf
include ../parts/hf.single
tensor model.layers.2.extra.weight BF16 1
tensor model.layers.3.extra.weight BF16 1
tensor model.layers.4.extra.weight BF16 1
tensor model.layers.5.extra.weight BF16 1
tensor model.layers.6.extra.weight BF16 1
tensor model.layers.7.extra.weight BF16 1
tensor model.layers.8.extra.weight BF16 1
tensor model.layers.9.extra.weight BF16 1
tensor model.layers.10.extra.weight BF16 1
tensor model.layers.11.extra.weight BF16 1
tensor model.layers.12.extra.weight BF16 1
tensor model.layers.13.extra.weight BF16 1
tensor model.layers.14.extra.weight BF16 1
tensor model.layers.15.extra.weight BF16 1
tensor model.layers.16.extra.weight BF16 1
tensor model.layers.17.extra.weight BF16 1
tensor model.layers.18.extra.weight BF16 1
tensor model.layers.19.extra.weight BF16 1
tensor model.layers.20.extra.weight BF16 1
tensor model.layers.21.extra.weight BF16 1
tensor model.layers.22.extra.weight BF16 1
tensor model.layers.23.extra.weight BF16 1
tensor model.layers.24.extra.weight BF16 1
tensor model.layers.25.extra.weight BF16 1
tensor model.layers.26.extra.weight BF16 1
