package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// openPort takes the operator's port, if there is one, and makes the control
// page for it.
func (a *app) openPort() (net.Listener, error) {
	if a.cfg.HTTP.Listen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", a.cfg.HTTP.Listen)
	if err != nil {
		return nil, fmt.Errorf("http.listen: %w", err)
	}
	a.page = a.newPage(l.Addr().String())
	return l, nil
}

// listen serves the port until ctx ends: the control page for its owner, and
// for anybody health that means "receiving", readiness and metrics, which are
// not secret and change nothing.
func (a *app) listen(ctx context.Context, l net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("/", a.page)
	mux.Handle("GET /healthz", a.page.Beside(http.HandlerFunc(a.healthz)))
	mux.Handle("GET /readyz", a.page.Beside(http.HandlerFunc(a.readyz)))
	mux.Handle("GET /metrics", a.page.Beside(promhttp.HandlerFor(a.counts.registry, promhttp.HandlerOpts{})))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	a.background(func() { _ = server.Serve(l) })
	a.background(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	a.background(func() { _ = a.page.Chat.Run(ctx, a.hub) }) // ends with ctx and never fails
}

// health says what keeps the bot from receiving, by platform; empty is well.
func (a *app) health() map[string]string {
	ill := map[string]string{}
	for _, p := range a.adapters {
		if err := p.Health(); err != nil {
			ill[p.Platform()] = err.Error()
		}
	}
	return ill
}

func (a *app) healthz(w http.ResponseWriter, _ *http.Request) {
	report(w, a.health())
}

// readyz also asks for the database and the model.
func (a *app) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	ill := a.health()
	if _, err := a.store.SchemaVersion(ctx); err != nil {
		ill["database"] = err.Error()
	}
	if a.model.check != nil {
		if err := a.model.check(ctx); err != nil {
			ill["model"] = err.Error()
		}
	}
	report(w, ill)
}

func report(w http.ResponseWriter, ill map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	status := "ok"
	if len(ill) > 0 {
		status = "unavailable"
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "problems": ill}) // the client is gone
}
