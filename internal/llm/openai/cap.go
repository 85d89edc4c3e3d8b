package openai

import (
	"errors"
	"io"
)

// Bounds of what is read of an answer, streamed or not, overhead included.
const (
	maxAnswer = 4 << 20
	maxBody   = 16 << 20  // of one that may be as long as many tokens are on the wire
	maxLine   = 1 << 20   // of a stream
	maxBeside = 256 << 10 // of a stream's lines that are no data: comments, errors
	maxError  = 64 << 10  // of an answer with an error status
)

// perToken is the size of a streamed token on the wire with everything around it.
const perToken = 512

// errOverlong means that the answer is longer than may be read.
var errOverlong = errors.New("the answer is too large to be one")

// room returns how many bytes may be read of an answer with this many tokens.
func room(tokens int) int64 { return min(max(maxAnswer, int64(tokens)*perToken), maxBody) }

// capped is a body that ends in errOverlong when it is larger than left. The
// library holds a stream's lines whole, and all that are no data together, so
// these have bounds of their own.
type capped struct {
	io.ReadCloser
	left   int64
	stream bool
	start  bool // a line begins
	data   bool // this line is data
	line   int  // bytes of this line
	beside int  // bytes of all lines that are none
}

// Read implements io.Reader.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errOverlong
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if !c.stream {
		return n, err
	}
	for _, b := range p[:n] {
		if c.start {
			c.data, c.line = b == 'd', 0
		}
		if c.start = b == '\n'; c.start {
			continue
		}
		c.line++
		if !c.data {
			c.beside++
		}
		if c.line > maxLine || c.beside > maxBeside {
			return 0, errOverlong
		}
	}
	return n, err
}
