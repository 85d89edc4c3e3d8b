package terminal

import (
	"bufio"
	"io"
	"time"
)

var longAgo = time.Unix(1, 0)

// maxLine bounds what is kept of one line, in bytes. What is longer is cut; it
// would be refused as too long in any case.
const maxLine = 4 << 20

// pipe reads lines from anything.
type pipe struct {
	in io.Reader
	r  *bufio.Reader
}

func newPipe(in io.Reader) *pipe { return &pipe{in, bufio.NewReader(in)} }

func (p *pipe) line() (string, error) {
	var line []byte
	for {
		piece, err := p.r.ReadSlice('\n')
		line = append(line, piece[:min(len(piece), maxLine-len(line))]...)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) > 0:
			return string(line), nil
		}
		return string(line), err
	}
}

// stop ends a blocked read where the system can do that.
func (p *pipe) stop() {
	if d, ok := p.in.(interface{ SetReadDeadline(time.Time) error }); ok {
		_ = d.SetReadDeadline(longAgo) // an ordinary file has no deadline and does not block
	}
}

func (p *pipe) close() {}
