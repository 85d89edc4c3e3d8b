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

// Health asks the running bot how it is: what a container's health check and
// other scripts call.
type Health struct {
	Ready bool `help:"Have it also write to the database and ask for the model."`
}

// healthPatience is longer than /readyz takes at most.
const healthPatience = 10 * time.Second

// Run prints the state and each problem. A bot that is unavailable, or that does
// not answer, is an error; one that is degraded is not.
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
	client := http.Client{Transport: &http.Transport{Proxy: nil}} // the bot is here, wherever a proxy is
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

// reachable returns where a process on this machine reaches a listening address,
// which may stand for all addresses.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}
