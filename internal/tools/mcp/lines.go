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

// onlyMessages passes on the lines that are JSON-RPC messages. Banners and log
// lines that a careless server prints to its standard output, as text or as
// JSON, go to junk.
func onlyMessages(from io.ReadCloser, heard hearing, junk io.Writer) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{&messages{from: bufio.NewReaderSize(from, 64<<10), heard: heard, junk: junk}, from}
}

type messages struct {
	from    *bufio.Reader
	heard   hearing
	junk    io.Writer
	rest    []byte // of the line that is passed on
	dropped int    // bytes since the last message
}

var errJunk = errors.New("the server prints what is no message")

// Read implements io.Reader. A line may be as long as a message, and what is
// no message may not be longer.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		if len(line) == 0 {
			return 0, err
		}
		if m.rest = message(line); m.rest == nil {
			if m.dropped += len(line); m.dropped > maxMessage {
				return 0, errJunk
			}
			_, _ = m.junk.Write(line) // a log's trouble is not the server's
			continue
		}
		m.dropped = 0
		m.heard(m.rest)
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
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
