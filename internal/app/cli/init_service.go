package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// service has the bot start with this machine: as root it says how, as anybody else it
// writes a unit for their own systemd.
func (w *wizard) service(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return text.Tell("a service is for systemd on Linux; docs/operations.md has what else there is")
	}
	if os.Geteuid() == 0 {
		w.say("  The settings belong into /etc/parley/bot.yaml; then, with what install.sh or the\n  package brought:\n    systemctl enable --now parley\n  docs/operations.md has the rest.")
		return nil
	}
	unit, err := w.unit()
	if err != nil {
		return err
	}
	home, err := os.UserConfigDir()
	if err != nil {
		return text.Tell("there is no folder for your own services: HOME is not set")
	}
	file := filepath.Join(home, "systemd", "user", "parley.service")
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		return text.Tell("%s is there already; systemctl --user restart parley takes new settings", file)
	}
	w.say("\n%s:\n%s", file, strings.TrimSpace(unit))
	said, err := w.answer(ctx, question{name: "write", text: catalog.Words("Write it? [yes]:"), help: catalog.Words(
		"  It is a service of yours alone and needs no root. Removing the file undoes it.")})
	if err != nil {
		return err
	}
	if !w.yes(said) && said != "" {
		return text.Tell("nothing was written")
	}
	if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = os.WriteFile(file, []byte(unit), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	w.say("  It is written. Start it, and let it run while you are logged out:\n    systemctl --user enable --now parley\n    loginctl enable-linger")
	return nil
}

// unit returns a unit for systemd that runs this program here with these settings.
func (w *wizard) unit() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	file, err := filepath.Abs(w.file)
	if err != nil {
		return "", fmt.Errorf("find the settings: %w", err)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find this folder: %w", err)
	}
	// systemd reads % and, between quotation marks, \ and ".
	plain := strings.NewReplacer("%", "%%", `\`, `\\`, `"`, `\"`)
	return fmt.Sprintf(`[Unit]
Description=Parley, an assistant that lives in your chats

[Service]
Type=notify
TimeoutStartSec=infinity
WatchdogSec=5min
WorkingDirectory=%s
ExecStart="%s" --config "%s"
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2

[Install]
WantedBy=default.target
`, strings.ReplaceAll(here, "%", "%%"), plain.Replace(program), plain.Replace(file)), nil
}
