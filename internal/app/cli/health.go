package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"parley/config"
	"parley/internal/text"
)

// Health asks the running bot for its health, for container health checks and scripts.
type Health struct {
	Ready bool `help:"Have it also write to the database and ask for the model."`
}

// healthPatience is longer than /readyz takes.
const healthPatience = 10 * time.Second

// Run prints the state and each problem. It fails if the bot is unavailable or does not
// answer, not if it is degraded.
func (h Health) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	if cfg.HTTP.Listen == "" {
		return text.Tell("there is nothing to ask: set http.listen, for example to 127.0.0.1:9090, and start the bot again")
	}
	path := "/healthz"
	if h.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(cfg.HTTP.Listen)+path, nil)
	if err != nil {
		return fmt.Errorf("http.listen: %w", err)
	}
	client := http.Client{Transport: &http.Transport{Proxy: nil}} // the bot is local: use no proxy
	resp, err := client.Do(req)
	if err != nil {
		return text.Tell("no bot answers: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var said struct {
		Status   string
		Problems map[string]string
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 1<<20)).Decode(&said); err != nil || said.Status == "" {
		return text.Tell("what answers at %s is not Parley", req.URL.Host)
	}
	_, _ = fmt.Fprintln(s.Out, said.Status)
	for _, part := range slices.Sorted(maps.Keys(said.Problems)) {
		_, _ = fmt.Fprintf(s.Out, "  %s: %s\n", part, said.Problems[part])
	}
	if resp.StatusCode != http.StatusOK {
		return text.Tell("the bot is unavailable")
	}
	return nil
}

// reachable returns the address at which a local process reaches a listener, which may
// listen on all addresses.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}
