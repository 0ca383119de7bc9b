// pack_piece.h: what a thread packs at once: some units of a tensor, or of the tensors of a stack.
#pragma once
#include "place.h"

#include "../model/weights.h"

enum {
    PACK_STACK = 3, // matrices of one stack
    // Of a piece, where one unit has no more: a core's own cache holds it, and it is one write. 2.47 GB took 4 to 6 s of
    // system time in writes of 16 MB, 0.9 s in those of 1 MB (ext4, in a virtual machine of two cores).
    PIECE_BYTES = 1 << 20
};

// The norm or the matrix of one layer, or the matrices of one stack.
typedef struct Part {
    const Place *place;                     // [tensors], at one address
    const WeightTensor *tensor[PACK_STACK]; // [tensors]
    int tensors;
    int units;          // ROWS: a row; LANES: 32 rows; FRAGMENTS: 8 of the stack's; a norm is one unit
    int64_t unit_bytes; // with padding; of LANES in all slices together
} Part;

// What rounding to the stored format cost, for the note.
typedef struct Rounding {
    float largest; // relative to the value
    const char *tensor;
} Rounding;

// Units first .. first+units-1 of a part, in memory's order.
typedef struct Piece {
    const Part *part;
    int first, units;
    Rounding rounding;
    bool refused; // a number is not finite, before or after rounding
} Piece;

// What a thread works in.
typedef struct PackRoom {
    float *values;        // [longest row]
    unsigned char *row;   // the same in the stored format
    unsigned char *bytes; // of the piece
} PackRoom;

// Fills room->bytes: unit after unit; of LANES those of slice 0, then slice 1 and so on. Sets rounding and refused; the first
// number refused ends it, `aloud` as an error: TENSOR_VALUE.
void piece_pack(const Weights *w, Piece *piece, PackRoom *room, bool aloud);
