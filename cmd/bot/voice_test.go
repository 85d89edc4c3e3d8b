package main

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// mouth notes what is to be spoken.
type mouth struct {
	mu   sync.Mutex // guards said
	said []llmtest.Speech
}

func (m *mouth) all() []llmtest.Speech {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.said)
}

// speaking has a bot speak; answer says with what, "" for a recording.
func (w *world) speaking(answer func(llmtest.Speech) ([]byte, int)) *mouth {
	var m mouth
	w.llm.Speaks(func(q llmtest.Speech) ([]byte, int) {
		m.mu.Lock()
		m.said = append(m.said, q)
		m.mu.Unlock()
		if answer != nil {
			return answer(q)
		}
		return sound, http.StatusOK
	})
	w.env = append(w.env, "BOT_SPEECH_BASE_URL="+w.llm.URL(), "BOT_SPEECH_MODEL=tts-1", "BOT_SPEECH_VOICE=nova")
	return &m
}

// voices are the voice messages that Telegram shows.
func (w *world) voices() (list []telegramtest.SentMessage) {
	for _, m := range w.tg.Sent() {
		if m.File != nil && m.File.Voice {
			list = append(list, m)
		}
	}
	return list
}

func TestAnswersAreSpoken(t *testing.T) {
	t.Parallel()
	w := newWorld(t).seeing()
	m := w.speaking(nil)
	w.run(t)
	w.llm.Hear(func(llmtest.Recording) string { return "what time is it" })
	says := func(text, answer string) {
		t.Helper()
		n := len(w.tg.Sent())
		if answer != "" {
			w.llm.Queue(llmtest.Turn{Text: answer})
		}
		w.tg.Push(telegramtest.Text(7, 7, text))
		eventually(t, "it is answered", func() bool { return len(w.tg.Sent()) > n })
	}
	says("hello", "Silent at first.")
	says("/voice", "")
	w.tg.Push(telegramtest.Press(7, 7, w.tg.Sent()[1].ID, "q", "/voice reply"))
	w.sent(t, 3)
	if got := w.tg.Sent()[2].Text; !strings.Contains(got, "When you speak") {
		t.Errorf("reply: %s", got)
	}
	says("still written", "Not spoken.")
	w.llm.Queue(llmtest.Turn{Text: "**Half** past two [1], see [the clock](https://clock.example/x).\n\n```\nsecret code\n```"})
	w.send("voice", "v", "", sound)
	eventually(t, "what was spoken is answered aloud", func() bool { return len(w.voices()) == 1 })
	says("/voice on", "")
	says("and now?", "Spoken, too.")
	eventually(t, "all is spoken", func() bool { return len(w.voices()) == 2 })
	var heard []string
	for _, q := range m.all() {
		if q.Model != "tts-1" || q.Voice != "nova" || q.Format != "opus" {
			t.Errorf("asked %+v", q)
		}
		heard = append(heard, q.Text)
	}
	if want := []string{"Half past two, see the clock.", "Spoken, too."}; !slices.Equal(heard, want) {
		t.Errorf("spoken %q, want %q", heard, want)
	}
	for _, v := range w.voices() {
		if !bytes.Equal(v.File.Data, sound) || v.File.Name != "voice.ogg" || v.ReplyTo == 0 || v.Text != "" {
			t.Errorf("%+v", v)
		}
	}
	says("/voice off", "")
	says("last", "Silent again.")
	must(t, w.stop())
	if n := len(m.all()); n != 2 {
		t.Errorf("%d recordings", n)
	}
}

func TestAnswersAreSpokenOnDiscord(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.speaking(nil)
	w.serve(t)
	w.dc.Message("", "10", "42", "/voice on")
	w.discordSent(t, 1)
	w.llm.Queue(llmtest.Turn{Text: "Hello there."})
	w.dc.Message("", "10", "42", "hello")
	got := w.discordSent(t, 3)
	if got[1].Content != "Hello there." || !bytes.Equal(got[2].Files["voice.ogg"], sound) || got[2].Content != "" {
		t.Errorf("%+v", got)
	}
}

// TestSpeechNeverCostsTheText: whatever the endpoint does, the text is there, once.
func TestSpeechNeverCostsTheText(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(llmtest.Speech) ([]byte, int){
		"broken": func(llmtest.Speech) ([]byte, int) { return nil, http.StatusInternalServerError },
		"page":   func(llmtest.Speech) ([]byte, int) { return []byte("<html>hello</html>"), http.StatusOK },
		"empty":  func(llmtest.Speech) ([]byte, int) { return nil, http.StatusOK },
		"huge": func(llmtest.Speech) ([]byte, int) {
			return append(bytes.Clone(sound), make([]byte, 9<<20)...), http.StatusOK
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.speaking(answer)
			w.run(t)
			w.tg.Push(telegramtest.Text(7, 7, "/voice on"))
			w.sent(t, 1)
			w.llm.Queue(llmtest.Turn{Text: "The text."})
			w.tg.Push(telegramtest.Text(7, 7, "hello"))
			w.sent(t, 2)
			eventually(t, "it was tried", func() bool { return len(m.all()) == 1 })
			must(t, w.stop())
			if sent := w.tg.Sent(); len(sent) != 2 || sent[1].Text != "The text." {
				t.Errorf("sent %+v", sent)
			}
			if strings.Contains(w.log.String(), "The text.") {
				t.Error("the log quotes an answer")
			}
		})
	}
}

// TestLongAnswersAreSpokenInShort: the gist is said if it says what the answer says.
func TestLongAnswersAreSpokenInShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_SPEECH_LONGEST=100")
	m := w.speaking(nil)
	w.run(t)
	w.tg.Push(telegramtest.Text(7, 7, "/voice on"))
	w.sent(t, 1)
	long := "The train to Bern leaves at 14:02 from platform 7. " + strings.Repeat("It is a long and quiet ride along the lake. ", 9)
	for i, gist := range []string{"The train to Bern leaves at 14:02 from platform 7.", "The train to Bern leaves at 15:30 from platform 7."} {
		w.llm.Queue(llmtest.Turn{Text: long}, llmtest.Turn{Text: gist})
		w.tg.Push(telegramtest.Text(7, 7, "when?"))
		eventually(t, "it is spoken", func() bool { return len(w.voices()) == i+1 })
	}
	said := m.all()
	if said[0].Text != "The train to Bern leaves at 14:02 from platform 7." || strings.Contains(said[1].Text, "15:30") ||
		!strings.HasPrefix(said[1].Text, "The train to Bern leaves at 14:02") {
		t.Errorf("%q", said)
	}
	must(t, w.stop())
}

// TestSecretsAreNotSpoken: what is hidden in the text is hidden from who speaks it.
func TestSecretsAreNotSpoken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.speaking(nil)
	w.run(t)
	w.tg.Push(telegramtest.Text(7, 7, "/voice on"))
	w.sent(t, 1)
	w.llm.Queue(llmtest.Turn{Text: "The token is " + w.tg.Token() + " today."})
	w.tg.Push(telegramtest.Text(7, 7, "hello"))
	eventually(t, "it is spoken", func() bool { return len(m.all()) == 1 })
	if said := m.all()[0].Text; strings.Contains(said, w.tg.Token()) || !strings.Contains(said, "The token is") {
		t.Errorf("spoken: %s", said)
	}
	must(t, w.stop())
}

// TestForgottenIsNotSpoken: somebody is forgotten while their answer is being spoken.
func TestForgottenIsNotSpoken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	goOn := make(chan struct{})
	m := w.speaking(func(llmtest.Speech) ([]byte, int) { <-goOn; return sound, http.StatusOK })
	w.run(t)
	w.tg.Push(telegramtest.Text(7, 7, "/voice on"))
	w.sent(t, 1)
	w.llm.Queue(llmtest.Turn{Text: "The canary sings."})
	w.tg.Push(telegramtest.Text(7, 7, "hello"))
	w.sent(t, 2)
	eventually(t, "it is being spoken", func() bool { return len(m.all()) == 1 })
	w.tg.Push(telegramtest.Text(7, 7, "/forget-me"))
	w.sent(t, 3)
	w.tg.Push(telegramtest.Text(7, 7, "yes"))
	eventually(t, "all is forgotten", func() bool { return len(w.tg.Sent()) > 3 })
	close(goOn)
	must(t, w.stop())
	if n := len(w.voices()); n != 0 {
		t.Errorf("%d recordings came after /forget-me", n)
	}
}

// TestKilledWhileSpeaking: the text stays, said once; later answers are spoken again.
func TestKilledWhileSpeaking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stuck := make(chan struct{})
	m := w.speaking(func(q llmtest.Speech) ([]byte, int) {
		if strings.Contains(q.Text, "tok-1.") {
			<-stuck
		}
		return sound, http.StatusOK
	})
	t.Cleanup(func() { close(stuck) })
	child := w.start(t)
	w.tg.Push(telegramtest.Text(7, 7, "/voice on"))
	w.sent(t, 1)
	w.tg.Push(telegramtest.Text(7, 7, "tok-1. hello"))
	w.sent(t, 2)
	eventually(t, "it is being spoken", func() bool { return len(m.all()) == 1 })
	kill(child)
	w.start(t)
	w.tg.Push(telegramtest.Text(7, 7, "tok-2. hello"))
	eventually(t, "the next answer is spoken", func() bool { return len(w.voices()) == 1 })
	w.settled(t)
	for _, tok := range []string{"tok-1.", "tok-2."} {
		n := 0
		for _, s := range w.tg.Sent() {
			n += strings.Count(s.Text, tok)
		}
		if n != 1 {
			t.Errorf("%s was said %d times", tok, n)
		}
	}
}

// TestPiperSpeaks: Piper's server has only WAV, which Telegram shows as a file; and people who
// take no voice messages get a file, too.
func TestPiperSpeaks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wav := append([]byte("RIFF\x24\x00\x00\x00WAVEfmt "), make([]byte, 60)...)
	m := w.speaking(func(q llmtest.Speech) ([]byte, int) {
		if q.Piped == "" {
			return nil, http.StatusTeapot
		}
		if strings.Contains(q.Piped, "again") {
			return sound, http.StatusOK
		}
		return wav, http.StatusOK
	})
	w.env = append(w.env, "BOT_SPEECH_KIND=piper", "BOT_SPEECH_BASE_URL="+w.llm.Root(), "BOT_SPEECH_MODEL=")
	w.run(t)
	w.tg.Push(telegramtest.Text(7, 7, "/voice on"))
	w.sent(t, 1)
	w.tg.Fail(telegramtest.Fault{Method: "sendVoice", Times: 1, Status: 400, Description: "Bad Request: VOICE_MESSAGES_FORBIDDEN"})
	for i, answer := range []string{"Hello.", "Hello again."} {
		w.llm.Queue(llmtest.Turn{Text: answer})
		w.tg.Push(telegramtest.Text(7, 7, "hello"))
		w.sent(t, 3+2*i)
	}
	sent := w.tg.Sent()
	for i, name := range map[int]string{2: "voice.wav", 4: "voice.ogg"} {
		if f := sent[i].File; f == nil || f.Name != name || f.Voice {
			t.Errorf("%+v", sent[i])
		}
	}
	if q := m.all()[0]; q.Piped != "Hello." || q.Model != "" {
		t.Errorf("%+v", q)
	}
	must(t, w.stop())
}

// TestNoVoiceWithoutSpeech: where nothing speaks, there is no such command.
func TestNoVoiceWithoutSpeech(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.tg.Push(telegramtest.Text(7, 7, "/help"))
	if got := w.sent(t, 1)[0]; strings.Contains(got, "/voice") {
		t.Error(got)
	}
	must(t, w.stop())
}
