package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// hearing is told each message of a server, as it came over the wire, before
// the protocol's library reads it. It keeps nothing of it and does not block.
type hearing func(message []byte)

// lineReader is an io.Reader of the lines that next returns; it skips empty ones.
type lineReader struct {
	next func() ([]byte, error)
	rest []byte // of the line that is passed on
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if l.rest = line; len(line) == 0 && err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// onlyMessages passes on the lines that are JSON-RPC messages. Banners and log lines
// that a careless server prints to its standard output, as text or as JSON, go to junk.
func onlyMessages(from io.ReadCloser, heard hearing, junk io.Writer) io.ReadCloser {
	m := &messages{from: bufio.NewReaderSize(from, 64<<10), heard: heard, junk: junk}
	return body{&lineReader{next: m.next}, from}
}

// body is a reader with a way to close it.
type body struct {
	io.Reader
	io.Closer
}

type messages struct {
	from    *bufio.Reader
	heard   hearing
	junk    io.Writer
	dropped int // bytes since the last message
}

var errJunk = errors.New("the server prints what is no message")

// next returns the next message, nil for a line that is none. Neither a line nor what
// stands between two messages may be longer than a message.
func (m *messages) next() ([]byte, error) {
	line, err := m.line()
	if len(line) == 0 {
		return nil, err
	}
	found := message(line)
	if found == nil {
		if m.dropped += len(line); m.dropped > maxMessage {
			return nil, errJunk
		}
		_, _ = m.junk.Write(line) // a log's trouble is not the server's
		return nil, nil
	}
	m.dropped = 0
	m.heard(found)
	return found, nil
}

// line returns the next line with its end, however long within bounds.
func (m *messages) line() ([]byte, error) {
	var long []byte
	for {
		piece, err := m.from.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			if long == nil {
				return piece, err
			}
			return append(long, piece...), err
		}
		if long = append(long, piece...); len(long) > maxMessage {
			return nil, errJunk
		}
	}
}

// message returns the JSON-RPC message, or the batch of them, that a line is; nil
// for anything else. A line that only holds one, behind other text, is a log's.
func message(line []byte) []byte {
	type version struct {
		JSONRPC string `json:"jsonrpc"`
	}
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\ufeff")), " \t\r\n")
	if len(line) == 0 {
		return nil
	}
	var one version
	switch line[0] {
	case '{':
		if json.Unmarshal(line, &one) != nil {
			return nil
		}
	case '[':
		var batch []version
		if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
			return nil
		}
		one = batch[0]
	}
	if one.JSONRPC != "2.0" {
		return nil
	}
	return line
}
