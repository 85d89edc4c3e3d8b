package discord

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// TestPackets: what a gateway may send besides events neither ends the connection nor
// begins a second session.
func TestPackets(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	s.Heartbeat(time.Hour)
	connected(t, in, s)
	text := func(p string) { s.Packet(websocket.TextMessage, []byte(p)) }
	for _, p := range []string{`{"op":`, `[]`, `{"op":10,"d":{"heartbeat_interval":1000}}`, `{"op":10,"d":null}`,
		`{"op":77,"d":{}}`, `{"op":11}`, `null`} {
		text(p)
	}
	s.Packet(websocket.BinaryMessage, []byte("not compressed"))
	text(`{"op":1,"d":null}`)
	until(t, "the heartbeat that was asked for", func() bool { return len(s.Beats()) == 1 })
	packed := new(bytes.Buffer)
	z := zlib.NewWriter(packed)
	fmt.Fprint(z, `{"op":0,"s":2,"t":"MESSAGE_CREATE","d":{"id":"900","channel_id":"10","content":"packed","type":0,"author":{"id":"42","username":"Ann"}}}`)
	_ = z.Close()
	s.Packet(websocket.BinaryMessage, packed.Bytes())
	until(t, "what was packed", func() bool { return fmt.Sprint(in.texts()) == "[packed]" })
	if s.Identifies() != 1 || s.Resumes() != 0 {
		t.Errorf("%d identifies, %d resumes", s.Identifies(), s.Resumes())
	}
}

// TestInvalidMidway: a session that Discord takes back while all goes well begins anew once,
// in its turn.
func TestInvalidMidway(t *testing.T) {
	s, in, _ := live(t)
	s.Packet(websocket.TextMessage, []byte(`{"op":9,"d":false}`))
	until(t, "another session", func() bool { return s.Identifies() == 2 && s.Connected() == 1 })
	s.Message("", "10", "42", "still there?")
	until(t, "heard", func() bool { return fmt.Sprint(in.texts()) == "[still there?]" })
	if s.Resumes() != 0 {
		t.Errorf("%d resumes of a session that is gone", s.Resumes())
	}
}
