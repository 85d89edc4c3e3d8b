package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// errEnded says that the server takes no more rows.
var errEnded = errors.New("the server has ended the copy")

// CopyIn writes rows into a table by the fastest way there is. produce calls write with
// each, in the order of columns; write does not keep a row.
func CopyIn(ctx context.Context, conn *sql.Conn, table string, columns []string, produce func(write func([]any) error) error) error {
	return conn.Raw(func(driver any) error {
		ctx, stop := context.WithCancel(ctx)
		rows, produced := make(chan []any, 64), make(chan error, 1)
		go func() {
			err := produce(func(row []any) error {
				select {
				case rows <- append([]any{}, row...):
					return nil
				case <-ctx.Done():
					return errEnded
				}
			})
			produced <- err
			close(rows)
		}()
		var failed error
		_, err := driver.(interface{ Conn() *pgx.Conn }).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns,
			pgx.CopyFromFunc(func() ([]any, error) {
				row, more := <-rows
				if more {
					return row, nil
				}
				failed = <-produced
				return nil, failed
			}))
		stop()
		for range rows { // until produce has ended
		}
		if failed == nil {
			select {
			case failed = <-produced:
			default:
			}
		}
		if failed != nil && !errors.Is(failed, errEnded) {
			return failed
		}
		if err != nil {
			return fmt.Errorf("copy into %s: %w", table, explain(err))
		}
		return nil
	})
}
