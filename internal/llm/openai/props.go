package openai

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// propsWait is how long a server is asked what it is before the first message.
const propsWait = 2 * time.Second

// props holds what llama.cpp's server says about its model at /props.
type props struct {
	Settings struct {
		Ctx int `json:"n_ctx"` // tokens that each of its slots has
	} `json:"default_generation_settings"`
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
		if p, err := c.props(ctx); err == nil {
			c.silent = p.quirks()
		}
	})
	return c.silent
}

func (c *Client) props(ctx context.Context) (p props, err error) {
	return p, c.ask(ctx, http.MethodGet, c.beside("/props"), nil, &p)
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
