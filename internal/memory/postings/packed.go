package postings

import (
	"encoding/binary"
	"slices"
)

// placeBits are those of an entry below the id of its message.
const placeBits = 20

// packed are rising entries. Each is how much its message's id is more than the one before,
// and the place where it is another one. Whoever has a copy may read it while more is added.
type packed struct {
	bytes []byte
	n     int
	last  int64
}

// pack packs rising entries.
func pack(rows []int64) (p packed) {
	for _, row := range rows {
		p.add(row)
	}
	p.bytes = slices.Clip(p.bytes)
	return p
}

// add adds an entry behind all others.
func (p *packed) add(row int64) {
	more, place := uint64(row>>placeBits-p.last>>placeBits)<<1, row&(1<<placeBits-1)
	if place == p.last&(1<<placeBits-1) && p.n > 0 {
		p.bytes = binary.AppendUvarint(p.bytes, more|1)
	} else {
		p.bytes = binary.AppendUvarint(binary.AppendUvarint(p.bytes, more), uint64(place))
	}
	p.n, p.last = p.n+1, row
}

// rows are the entries.
func (p packed) rows() []int64 {
	rows, id, place := make([]int64, 0, p.n), int64(0), int64(0)
	for b := p.bytes; len(b) > 0; {
		more, n := uint64(b[0]), 1
		if more >= 0x80 {
			more, n = binary.Uvarint(b)
		}
		b = b[n:]
		if more&1 == 0 {
			other, n := binary.Uvarint(b)
			place, b = int64(other), b[n:]
		}
		id += int64(more >> 1)
		rows = append(rows, id<<placeBits|place)
	}
	return rows
}

// with adds an entry, unless it is there.
func (p packed) with(row int64) packed {
	if row > p.last || p.n == 0 {
		p.add(row)
		return p
	}
	rows := p.rows()
	at, there := slices.BinarySearch(rows, row)
	if there {
		return p
	}
	return pack(slices.Insert(rows, at, row))
}
