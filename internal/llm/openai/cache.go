package openai

import (
	"encoding/json"
	"net/url"
	"strings"
)

// host returns the name of the endpoint's host.
func (c *Client) host() string {
	u, err := url.Parse(c.o.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// cacheKey returns the member of a request that keeps those with the same beginning
// on one machine of the provider, if the endpoint is known to accept it; nil
// otherwise, because strict servers refuse unknown fields.
func (c *Client) cacheKey(key string) []byte {
	if key == "" || c.host() != "api.openai.com" {
		return nil
	}
	b, _ := json.Marshal(key) // a text always can
	return append([]byte(`"prompt_cache_key":`), b...)
}

// marksCache reports whether the model caches only what is marked: those of Anthropic
// behind OpenRouter.
func (c *Client) marksCache(model string) bool {
	return strings.HasPrefix(model, "anthropic/") && (c.host() == "openrouter.ai" || strings.HasSuffix(c.host(), ".openrouter.ai"))
}

// markCache marks where the beginnings end that the next request has too: the
// system message, and the newest message.
func markCache(messages []byte) ([]byte, error) {
	var ms []map[string]json.RawMessage
	if err := json.Unmarshal(messages, &ms); err != nil {
		return nil, err
	}
	for _, at := range []int{0, len(ms) - 1} {
		var text string
		if at < 0 || json.Unmarshal(ms[at]["content"], &text) != nil || text == "" {
			continue
		}
		content, err := json.Marshal([]any{map[string]any{"type": "text", "text": text, "cache_control": map[string]string{"type": "ephemeral"}}})
		if err != nil {
			return nil, err
		}
		ms[at]["content"] = content
	}
	return json.Marshal(ms)
}
