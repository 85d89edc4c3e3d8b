package platform

import "parley/internal/adapters/terminal"

var terminalPlatform = Platform{Identity: terminal.Identity}
