package chat_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
)

// journal is a log that may be read while it is written.
type journal struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.buf.String(), text)
}

// TestFaultDiskFullOnAnswer: an answer that cannot be stored is kept and, once
// there is room again, sent once; the model is not asked twice.
func TestFaultDiskFullOnAnswer(t *testing.T) {
	memorytest.AboutFiles(t)
	asked := 0
	log := &journal{}
	s := newStageOn(t, data(t), memory.Options{MaxPages: 400}, chat.HubOptions{Log: slog.New(slog.NewTextHandler(log, nil)),
		Handler: chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
			asked++
			return chat.Answer{Text: strings.Repeat("a long answer ", 5000)}, nil
		})})
	elsewhere := chat.Key{Platform: "other", Channel: "1"}
	ctx := context.Background()
	full := false
	for i := 0; !full && i < 1000; i++ {
		full = s.store.Notify(ctx, fmt.Sprint("filler", i), []chat.Part{{Key: elsewhere, Text: strings.Repeat("x", 20_000)}}) != nil
	}
	fillers, err := s.store.Pending(ctx, elsewhere)
	if err != nil || !full || len(fillers) < 10 {
		t.Fatalf("the disk was never full: %d fillers, %v", len(fillers), err)
	}
	free := func(list []chat.Part) {
		for _, p := range list {
			if err := s.store.Mark(ctx, p, chat.PartSent, "1", time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	free(fillers[:1]) // room for the message, not for its answer
	s.say("c", "hello")
	s.until("the disk is full", func() bool { return log.has("finish failed") })
	free(fillers[1:])
	s.until("sent", func() bool { lanes, _ := s.Active(); return lanes == 0 })
	s.end(time.Minute)
	whole := string(s.p.Sent()[len(s.p.Sent())-1].Files[0].Data)
	if n := strings.Count(whole, "answer"); n != 5000 || asked != 1 {
		t.Errorf("sent %d of 5000 words, asked %d times", n, asked)
	}
}
