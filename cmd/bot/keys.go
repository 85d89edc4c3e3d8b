package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// provider is one whose keys are known by their form for certain.
type provider struct {
	name string
	base string // of its OpenAI-compatible interface
	key  *regexp.Regexp
}

// providers are asked in this order. OpenAI's keys hold a mark of its own, or
// begin as nobody else's do; "sk-" alone is used by many.
var providers = []provider{
	{"OpenRouter", "https://openrouter.ai/api/v1", regexp.MustCompile(`^sk-or-`)},
	{"Anthropic", "https://api.anthropic.com/v1", regexp.MustCompile(`^sk-ant-`)},
	{"OpenAI", openAI, regexp.MustCompile(`^sk-(proj|svcacct|admin|None)-[\w-]{20,}$|^sk-[\w-]*T3BlbkFJ[\w-]+$`)},
	{"Groq", "https://api.groq.com/openai/v1", regexp.MustCompile(`^gsk_`)},
	{"Google", "https://generativelanguage.googleapis.com/v1beta/openai", regexp.MustCompile(`^AIza`)},
	{"xAI", "https://api.x.ai/v1", regexp.MustCompile(`^xai-`)},
	{"NVIDIA", "https://integrate.api.nvidia.com/v1", regexp.MustCompile(`^nvapi-`)},
	{"Perplexity", "https://api.perplexity.ai", regexp.MustCompile(`^pplx-`)},
	{"Hugging Face", "https://router.huggingface.co/v1", regexp.MustCompile(`^hf_`)},
	{"Cerebras", "https://api.cerebras.ai/v1", regexp.MustCompile(`^csk-`)},
}

// otherTokens are of no provider of models.
var otherTokens = []struct {
	name string
	form *regexp.Regexp
}{
	{"Telegram", regexp.MustCompile(`^\d+:[\w-]+$`)},
	{"Discord", regexp.MustCompile(`^[\w-]{20,}\.[\w-]{5,}\.[\w-]{20,}$`)},
	{"GitHub", regexp.MustCompile(`^(gh[pousr]|github_pat)_`)},
	{"Slack", regexp.MustCompile(`^xox[a-z]-`)},
	{"AWS", regexp.MustCompile(`^A(KI|SI)A[A-Z0-9]{16}$`)},
}

// providerOf is whose key a text is for certain, nil when that cannot be told.
func providerOf(text string) *provider {
	for i, p := range providers {
		if p.key.MatchString(text) {
			return &providers[i]
		}
	}
	return nil
}

// ownerOfToken names whose secret a text is for certain, "" when that cannot be
// told.
func ownerOfToken(text string) string {
	if p := providerOf(text); p != nil {
		return p.name
	}
	for _, o := range otherTokens {
		if o.form.MatchString(text) {
			return o.name
		}
	}
	return ""
}

// errUnknownKey does not repeat what it is about, which may be a secret.
var errUnknownKey = errors.New("I can't tell whose key that is, so I have sent it nowhere: answer with the address of its provider, the key and the model's name, such as https://openrouter.ai/api/v1 KEY MODEL")

// onlyOpenAI is nil for what is a key of OpenAI for certain.
func onlyOpenAI(key string) error {
	p := providerOf(key)
	switch {
	case p == nil:
		return errUnknownKey
	case p.base != openAI:
		return fmt.Errorf("that is a key of %s, so I have sent it nowhere: answer with %s KEY MODEL", p.name, p.base)
	}
	return nil
}

// belongs says why a secret must not be sent to an address: it is somebody
// else's for certain, and the address is that of a known provider. An address
// that nobody knows may be a gateway for any of them.
func belongs(secret, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return nil // refused elsewhere
	}
	host := strings.ToLower(u.Hostname())
	owner := ownerOfToken(secret)
	if owner == "" {
		return nil
	}
	for _, p := range providers {
		if known, _ := url.Parse(p.base); known.Hostname() == host && p.name != owner {
			return fmt.Errorf("that is a key of %s and the address of %s: it is sent only where it belongs", owner, p.name)
		}
	}
	return nil
}
