package postgrestest

import (
	"bytes"
	"encoding/binary"
	"io"
	"time"
)

// parcel is what was sent at once.
type parcel struct {
	bytes []byte
	due   time.Time // when it arrives
	err   error     // of reading on; it comes last
}

// pass copies until one side ends or cut says so, of a chunk that is not passed on. Each
// chunk arrives when it is due; what is sent meanwhile follows at its own time.
func (p *Proxy) pass(to io.Writer, from io.Reader, cut func([]byte) bool) {
	parcels, over := make(chan parcel, 64), make(chan struct{})
	defer close(over)
	p.ended.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := from.Read(buf)
			select {
			case parcels <- parcel{bytes.Clone(buf[:n]), time.Now().Add(time.Duration(p.Away.Load() / 2)), err}:
			case <-over:
				return
			}
			if err != nil {
				return
			}
		}
	})
	for one := range parcels {
		select {
		case <-time.After(time.Until(one.due)):
		case <-p.over:
			return
		}
		if len(one.bytes) > 0 && cut(one.bytes) {
			return
		}
		if _, err := to.Write(one.bytes); err != nil || one.err != nil {
			return
		}
	}
}

// Trip is what a client asked at once, and waited for.
type Trip struct {
	Conn     int // the number of the connection, from 1
	At       time.Time
	Asked    []string // the statements that were run
	Prepared []string
}

// reader reads what a client sends.
type reader struct {
	conn  int
	began bool // the first message, which has no type, was read
	rest  []byte
	known map[string]string // prepared statements
	trip  Trip
}

// read takes a chunk, and tells of the trips that it completes.
func (r *reader) read(chunk []byte, tell func(Trip)) {
	r.rest = append(r.rest, chunk...)
	for {
		head := 1
		if !r.began {
			head = 0
		}
		if len(r.rest) < head+4 {
			return
		}
		end := head + int(binary.BigEndian.Uint32(r.rest[head:]))
		if len(r.rest) < end {
			return
		}
		if r.began {
			r.message(r.rest[0], r.rest[head+4:end], tell)
		}
		r.began, r.rest = true, r.rest[end:]
	}
}

// message takes one message of the protocol.
func (r *reader) message(kind byte, body []byte, tell func(Trip)) {
	first, rest, _ := bytes.Cut(body, []byte{0})
	second, _, _ := bytes.Cut(rest, []byte{0})
	switch kind {
	case 'P':
		r.known[string(first)] = string(second)
		r.trip.Prepared = append(r.trip.Prepared, string(second))
	case 'B':
		r.trip.Asked = append(r.trip.Asked, r.known[string(second)])
	case 'Q':
		r.trip.Asked = append(r.trip.Asked, string(first))
	}
	if kind == 'Q' || kind == 'S' {
		r.trip.Conn, r.trip.At = r.conn, time.Now()
		tell(r.trip)
		r.trip = Trip{}
	}
}
