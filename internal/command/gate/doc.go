// Package gate sits in front of the agent and controls who may speak (Gate), how
// much (Quotas), what waits for a yes (Confirmations) and what the owner can do by
// slash command (Commands). Each is a chat.Handler around the next.
//
// It calls no model, knows no platform and holds no SQL: what must survive a
// restart is stored through the narrow interfaces it declares.
package gate
