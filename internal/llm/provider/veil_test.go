package provider_test

import (
	"strings"
	"testing"

	"parley/internal/llm/provider"
	"parley/internal/text"
)

// TestVeilShowsAddressesAndNoSecret types each line character by character: what is
// never to be seen may not be seen on the way either, but for the few characters
// that tell what it is.
func TestVeilShowsAddressesAndNoSecret(t *testing.T) {
	for _, open := range []string{"1", "12", "openai", "OpenRouter", "builtin", "ollama qwen3:4b", "http://localhost:11434/v1",
		"https://api.example.com/v1", "localhost:1234", "192.168.1.20:8080/v1", "back", "my-server.lan"} {
		if got := provider.Veil(open); got != open {
			t.Errorf("%q is shown as %q", open, got)
		}
	}
	for _, secret := range []string{
		"sk-proj-abcdefghijklmnopqrstuvwxyz", "sk-ant-api03-abcdefgh", "gsk_abcdefghijkl", "AIzaSyAbcdefghijkl", "hf_abcdefghijkl",
		"7234567890:AAHabcdefghijklmnopqrstuvwx", "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA", "0123456789abcdef0123456789abcdef",
		"0123456789abcdef0123456789abcdef.AbCdEfGh12345678",
	} {
		for _, line := range []string{secret, secret + " model", "https://api.example.com/v1 " + secret,
			"https://api.example.com/v1 " + secret + " model", "https://me:" + secret + "@api.example.com/v1"} {
			got := provider.Veil(line)
			if strings.Contains(got, secret[4:]) || strings.Contains(got, secret[:8]) {
				t.Errorf("%q is shown as %q", line, got)
			}
			if len([]rune(got)) != len([]rune(line)) {
				t.Errorf("%q and %q differ in length", line, got)
			}
		}
	}
	if got := provider.Veil("https://api.example.com/v1 secret-key gpt-4o"); got != "https://api.example.com/v1 •••••••••• gpt-4o" {
		t.Errorf("got %q", got)
	}
}

func TestKeysGoOnlyWhereTheyBelong(t *testing.T) {
	openai, anthropic, telegram := "sk-proj-"+strings.Repeat("a", 40), "sk-ant-api03-abc", "7234567890:AAHabcdefghijklmnopqrstuvwx"
	forms := provider.Forms{{Owner: "Telegram", Matches: text.Pattern(`^\d+:[\w-]+$`)}}
	for _, p := range provider.All() {
		for owner, key := range map[string]string{"OpenAI": openai, "Anthropic": anthropic, "Telegram": telegram} {
			if err := forms.Refuses(p, key); (err == nil) != (owner == p.Name) {
				t.Errorf("a key of %s for %s: %v", owner, p.Name, err)
			} else if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is shown: %v", err)
			}
		}
		// DeepSeek's, and many others', which nothing tells apart.
		err := forms.Refuses(p, "sk-0123456789abcdef0123456789abcdef")
		if (err == nil) != (p.Name == "Mistral" || p.Name == "DeepSeek") {
			t.Errorf("an unknown key for %s: %v", p.Name, err)
		}
		if provider.At(p.Base+"/x") == nil || p.Keys == "" {
			t.Errorf("%s is not found at its own address", p.Name)
		}
	}
}
