package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/go-telegram/bot"

	"parley/internal/text/inbound"
)

const (
	maxUpdate  = 1 << 20 // bytes of one posted update
	retryLater = "5"     // seconds Telegram is asked to wait when we cannot store
	roomWait   = 2 * time.Second
)

// serve receives by webhook until ctx ends.
func (a *Adapter) serve(ctx context.Context) error {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.opts.Webhook.Listen)
	if err != nil {
		return fmt.Errorf("telegram.webhook.listen: %w", err)
	}
	srv := &http.Server{
		Handler:           http.HandlerFunc(a.receive),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	if !a.learnSelf(ctx) {
		return ln.Close()
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	if a.insist(ctx, "setWebhook", a.setWebhook) {
		a.received()
		select {
		case <-ctx.Done():
		case err := <-done:
			return fmt.Errorf("telegram webhook: %w", err)
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = srv.Shutdown(grace)
	<-done
	if err != nil {
		return errors.Join(fmt.Errorf("telegram webhook: %w", err), srv.Close())
	}
	return nil
}

func (a *Adapter) setWebhook(ctx context.Context) error {
	_, err := a.wire.call(ctx, "setWebhook", &bot.SetWebhookParams{
		URL:            a.opts.Webhook.URL,
		SecretToken:    a.opts.Webhook.Secret,
		AllowedUpdates: allowedUpdates,
	})
	return err
}

// receive takes one posted update. It checks who posts before it reads the body,
// and answers 200 only once the update is durable. After any other answer Telegram
// repeats the update and holds back the chat's next ones until then.
func (a *Adapter) receive(w http.ResponseWriter, r *http.Request) {
	if !inbound.Proves(r.Header.Get("X-Telegram-Bot-Api-Secret-Token"), a.opts.Webhook.Secret) {
		refuse(w, http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed)
		return
	}
	body, err := inbound.Body(w, r, maxUpdate)
	var no *inbound.BodyError
	if errors.As(err, &no) {
		refuse(w, no.Status)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), roomWait)
	err = a.in.Room(ctx)
	cancel()
	if err == nil {
		_, err = a.store(r.Context(), []json.RawMessage{body})
	}
	if err != nil {
		w.Header().Set("Retry-After", retryLater)
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	a.received()
	w.WriteHeader(http.StatusOK)
}

// refuse answers with the status alone and closes the connection, so that the
// body is never read.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}
