// Command floor is the bare loop that the bot's figures are measured against, as lean
// as a Go program can be: it polls, asks the model and sends, one message after the
// other, over one connection to each, in memory that it uses again. It reads of an
// answer no more than it passes on, and keeps nothing.
package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	telegram := dial(os.Getenv("BOT_TELEGRAM_API_URL"), "/bot"+os.Getenv("BOT_TELEGRAM_TOKEN"))
	model := dial(os.Getenv("BOT_MODEL_BASE_URL"), "")
	poll, ask, send := telegram.call("/getUpdates"), model.call("/chat/completions"), telegram.call("/sendMessage")
	for offset := int64(0); ; {
		poll.begin().text(`{"timeout":20,"offset":`)
		poll.body = strconv.AppendInt(poll.body, offset, 10)
		updates := poll.text("}").do()
		for {
			id, rest, more := number(updates, `"update_id":`)
			if !more {
				break
			}
			offset = id + 1
			chat, rest, _ := number(rest, `"chat":{"id":`)
			said, rest := quoted(rest, `"text":"`)
			updates = rest
			ask.begin().text(`{"model":"test","messages":[{"role":"user","content":"`)
			ask.body = append(ask.body, said...)
			answer, _ := quoted(ask.text(`"}]}`).do(), `"content":"`)
			send.begin().text(`{"chat_id":`)
			send.body = strconv.AppendInt(send.body, chat, 10)
			send.text(`,"text":"`)
			send.body = append(send.body, answer...)
			send.text(`"}`).do()
		}
	}
}

// server is the connection to one.
type server struct {
	net.Conn
	in         *bufio.Reader
	host, path string
}

// dial connects to the server of an address.
func dial(address, below string) *server {
	host, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	conn, err := net.Dial("tcp", host)
	check(err)
	return &server{Conn: conn, in: bufio.NewReaderSize(conn, 64<<10), host: host, path: strings.TrimSuffix("/"+path, "/") + below}
}

// call is a request that is made again and again, and its memory.
type call struct {
	*server
	head, body, out, in []byte
}

func (s *server) call(method string) *call {
	return &call{server: s, head: []byte("POST " + s.path + method + " HTTP/1.1\r\nHost: " + s.host +
		"\r\nContent-Type: application/json\r\nContent-Length: ")}
}

func (c *call) begin() *call { c.body = c.body[:0]; return c }

func (c *call) text(s string) *call { c.body = append(c.body, s...); return c }

// do sends the request. What it returns is valid until the next one.
func (c *call) do() []byte {
	c.out = append(c.out[:0], c.head...)
	c.out = strconv.AppendInt(c.out, int64(len(c.body)), 10)
	c.out = append(append(c.out, "\r\n\r\n"...), c.body...)
	_, err := c.Write(c.out)
	check(err)
	length := c.headers()
	c.in = c.in[:0]
	if length >= 0 {
		c.read(length)
		return c.in
	}
	for {
		size, err := strconv.ParseInt(string(bytes.TrimSpace(c.line())), 16, 32)
		check(err)
		c.read(int(size))
		c.line()
		if size == 0 {
			return c.in
		}
	}
}

// headers reads those of an answer and returns its length, -1 for one that comes in chunks.
func (c *call) headers() int {
	length := -1
	for {
		line := bytes.TrimSpace(c.line())
		if len(line) == 0 {
			return length
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			n, err := strconv.Atoi(string(value))
			check(err)
			length = n
		}
	}
}

func (c *call) line() []byte {
	line, err := c.server.in.ReadSlice('\n')
	check(err)
	return line
}

// read takes the next n bytes.
func (c *call) read(n int) {
	was := len(c.in)
	c.in = slices.Grow(c.in, n)[:was+n]
	_, err := io.ReadFull(c.server.in, c.in[was:])
	check(err)
}

// number is what stands behind a key, and what follows.
func number(b []byte, key string) (n int64, rest []byte, found bool) {
	i := bytes.Index(b, []byte(key))
	if i < 0 {
		return 0, nil, false
	}
	b = b[i+len(key):]
	end := 0
	for end < len(b) && (b[end] == '-' || b[end] >= '0' && b[end] <= '9') {
		end++
	}
	n, err := strconv.ParseInt(string(b[:end]), 10, 64)
	check(err)
	return n, b[end:], true
}

// quoted is the text behind a key, as it stands in JSON, and what follows.
func quoted(b []byte, key string) (said, rest []byte) {
	i := bytes.Index(b, []byte(key))
	if i < 0 {
		return nil, nil
	}
	b = b[i+len(key):]
	end := 0
	for b[end] != '"' {
		if b[end] == '\\' {
			end++
		}
		end++
	}
	return b[:end], b[end:]
}

// check ends the program with a failure: the loop has nothing to go on with.
func check(err error) {
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
