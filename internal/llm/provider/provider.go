// Package provider knows the keys of those who serve models by their form, so
// that a secret is sent only where it belongs. It sends nothing itself.
package provider

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"parley/internal/text"
)

// OpenAI is the address of OpenAI's own interface.
const OpenAI = "https://api.openai.com/v1"

// Provider is one that serves models.
type Provider struct {
	Name string
	Base string                // of its OpenAI-compatible interface
	Keys string                // the page where its keys are made
	Best string                // what people take who name no model; "" for the first in its list
	form func() *regexp.Regexp // of its keys; nil where nothing distinguishes them
}

// providers are asked, and shown, in this order. OpenAI's keys hold a mark of its
// own, or begin as nobody else's do; "sk-" alone is used by many.
var providers = []Provider{
	{"OpenAI", OpenAI, "https://platform.openai.com/api-keys", "gpt-4o-mini",
		text.Pattern(`^sk-(proj|svcacct|admin|None)-[\w-]{20,}$|^sk-[\w-]*T3BlbkFJ[\w-]+$`)},
	{"Anthropic", "https://api.anthropic.com/v1", "https://console.anthropic.com/settings/keys", "", text.Pattern(`^sk-ant-`)},
	{"Google", "https://generativelanguage.googleapis.com/v1beta/openai", "https://aistudio.google.com/apikey", "", text.Pattern(`^AIza`)},
	{"OpenRouter", "https://openrouter.ai/api/v1", "https://openrouter.ai/settings/keys", "", text.Pattern(`^sk-or-`)},
	{"Groq", "https://api.groq.com/openai/v1", "https://console.groq.com/keys", "", text.Pattern(`^gsk_`)},
	{"Mistral", "https://api.mistral.ai/v1", "https://console.mistral.ai/api-keys", "mistral-small-latest", nil},
	{"DeepSeek", "https://api.deepseek.com/v1", "https://platform.deepseek.com/api_keys", "deepseek-chat", nil},
	{"xAI", "https://api.x.ai/v1", "https://console.x.ai", "", text.Pattern(`^xai-`)},
	{"Cerebras", "https://api.cerebras.ai/v1", "https://cloud.cerebras.ai", "", text.Pattern(`^csk-`)},
	{"Hugging Face", "https://router.huggingface.co/v1", "https://huggingface.co/settings/tokens", "", text.Pattern(`^hf_`)},
	{"NVIDIA", "https://integrate.api.nvidia.com/v1", "https://build.nvidia.com", "", text.Pattern(`^nvapi-`)},
	{"Perplexity", "https://api.perplexity.ai", "https://www.perplexity.ai/settings/api", "sonar", text.Pattern(`^pplx-`)},
}

// All lists those that are known by name.
func All() []Provider { return slices.Clone(providers) }

// At returns whose an address is, nil for nobody who is known.
func At(address string) *Provider {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	for i, p := range providers {
		if known, _ := url.Parse(p.Base); strings.EqualFold(known.Hostname(), u.Hostname()) {
			return &providers[i]
		}
	}
	return nil
}

// Refuses says why a key is not sent to p, nil when it may be: it is somebody else's for
// certain, or has not the form that all keys here have.
func (f Forms) Refuses(p Provider, key string) error {
	owner := f.Owner(key)
	switch {
	case owner == p.Name:
		return nil
	case owner != "":
		return text.Tell("that is a secret of %s, so I have not sent it to %s", owner, p.Name)
	case p.form != nil:
		return text.Tell("that does not look like a key of %s, so I have sent it nowhere: copy it again, whole, from %s", p.Name, p.Keys)
	}
	return nil
}

// Forms are those of secrets that no provider of models made, by whose they are: of the
// platforms, for example. Those of a few services are known here.
type Forms []Form

// Form is what one owner's secrets look like.
type Form struct {
	Owner   string
	Matches func() *regexp.Regexp
}

var services = Forms{
	{"GitHub", text.Pattern(`^(gh[pousr]|github_pat)_`)},
	{"Slack", text.Pattern(`^xox[a-z]-`)},
	{"Parley", text.Pattern(`^parley_[a-z2-7]{52}$`)},
	{"AWS", text.Pattern(`^A(KI|SI)A[A-Z0-9]{16}$`)},
}

// Of returns whose key a text is for certain, nil when that cannot be told.
func Of(text string) *Provider {
	for i, p := range providers {
		if p.form != nil && p.form().MatchString(text) {
			return &providers[i]
		}
	}
	return nil
}

// Owner names whose secret a text is for certain, "" when that cannot be
// told.
func (f Forms) Owner(text string) string {
	if p := Of(text); p != nil {
		return p.Name
	}
	for _, one := range slices.Concat(f, services) {
		if one.Matches().MatchString(text) {
			return one.Owner
		}
	}
	return ""
}

// Belongs says why a secret must not be sent to an address: it is somebody
// else's for certain, and the address is that of a known provider. An address
// that nobody knows may be a gateway for any of them.
func (f Forms) Belongs(secret, address string) error {
	owner, at := f.Owner(secret), At(address)
	if owner == "" || at == nil || at.Name == owner {
		return nil
	}
	return text.Tell("that is a key of %s and the address of %s: it is sent only where it belongs", owner, at.Name)
}
