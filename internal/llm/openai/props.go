package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// propsWait is how long a server is asked what it is before the first message.
const propsWait = 2 * time.Second

// props is what llama.cpp's server says of its model at /props.
type props struct {
	Caps *struct {
		System    bool `json:"supports_system_role"`
		Tools     bool `json:"supports_tools"`
		ToolCalls bool `json:"supports_tool_calls"`
	} `json:"chat_template_caps"`
}

// inspect asks a llama.cpp server what its chat template supports: the server silently
// drops the rest from the prompt, so no refusal would ever teach it. It asks once,
// and only servers without TLS, which are self-hosted; any other answer, or none, is
// ignored.
func (c *Client) inspect(ctx context.Context) quirks {
	c.once.Do(func() {
		if !strings.HasPrefix(c.o.BaseURL, "http://") {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), propsWait)
		defer cancel()
		root := strings.TrimSuffix(strings.TrimRight(c.o.BaseURL, "/"), "/v1")
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, root+"/props", nil)
		if err != nil {
			return
		}
		if c.o.APIKey != "" {
			req.Header.Set("Authorization", "Bearer "+c.o.APIKey)
		}
		resp, err := c.http.Do(req)
		if err != nil {
			return
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		var p props
		if err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(body, &p) == nil {
			c.silent = p.quirks()
		}
	})
	return c.silent
}

func (p props) quirks() (q quirks) {
	if p.Caps == nil {
		return 0
	}
	if !p.Caps.System {
		q |= noSystem
	}
	if !p.Caps.Tools {
		q |= noTools
	}
	if !p.Caps.ToolCalls {
		q |= noToolTurns
	}
	return q
}
