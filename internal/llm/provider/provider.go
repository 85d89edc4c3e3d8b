// Package provider knows the keys of those who serve models by their form, so
// that a secret is sent only where it belongs. It sends nothing itself.
package provider

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// OpenAI is the address of OpenAI's own interface.
const OpenAI = "https://api.openai.com/v1"

// Provider is one whose keys are known by their form for certain.
type Provider struct {
	Name string
	Base string // of its OpenAI-compatible interface
	key  *regexp.Regexp
}

// providers are asked in this order. OpenAI's keys hold a mark of its own, or
// begin as nobody else's do; "sk-" alone is used by many.
var providers = []Provider{
	{"OpenRouter", "https://openrouter.ai/api/v1", regexp.MustCompile(`^sk-or-`)},
	{"Anthropic", "https://api.anthropic.com/v1", regexp.MustCompile(`^sk-ant-`)},
	{"OpenAI", OpenAI, regexp.MustCompile(`^sk-(proj|svcacct|admin|None)-[\w-]{20,}$|^sk-[\w-]*T3BlbkFJ[\w-]+$`)},
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

// Of returns whose key a text is for certain, nil when that cannot be told.
func Of(text string) *Provider {
	for i, p := range providers {
		if p.key.MatchString(text) {
			return &providers[i]
		}
	}
	return nil
}

// Owner names whose secret a text is for certain, "" when that cannot be
// told.
func Owner(text string) string {
	if p := Of(text); p != nil {
		return p.Name
	}
	for _, o := range otherTokens {
		if o.form.MatchString(text) {
			return o.name
		}
	}
	return ""
}

// Belongs says why a secret must not be sent to an address: it is somebody
// else's for certain, and the address is that of a known provider. An address
// that nobody knows may be a gateway for any of them.
func Belongs(secret, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return nil // refused elsewhere
	}
	host := strings.ToLower(u.Hostname())
	owner := Owner(secret)
	if owner == "" {
		return nil
	}
	for _, p := range providers {
		if known, _ := url.Parse(p.Base); known.Hostname() == host && p.Name != owner {
			return fmt.Errorf("that is a key of %s and the address of %s: it is sent only where it belongs", owner, p.Name)
		}
	}
	return nil
}
