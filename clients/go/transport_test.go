package latchkey

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// liar answers each connection as told, once a request has come.
func liar(t *testing.T, answer func(net.Conn)) (url string, asked func() int) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	requests := make(chan struct{}, 100)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				if _, err := http.ReadRequest(bufio.NewReader(connection)); err == nil {
					requests <- struct{}{}
					answer(connection)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String() + "/x", func() int { return len(requests) }
}

func said(head, body string) func(net.Conn) {
	return func(connection net.Conn) { _, _ = connection.Write([]byte("HTTP/1.1 " + head + "\r\n\r\n" + body)) }
}

// ask returns the status and text of the answer, or the kind of the failure.
func ask(t *testing.T, answer func(net.Conn), timeout time.Duration) string {
	url, _ := liar(t, answer)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	given, err := HTTPTransport(nil)(ctx, Request{url, "{}"})
	if err == nil {
		return http.StatusText(given.Status) + " " + given.Text
	}
	var failure *TransportFailure
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return failure.Kind
}

func TestTransport(t *testing.T) {
	other, asked := liar(t, said("200 OK\r\nContent-Length: 0", ""))
	full := strings.Repeat(" ", maxAnswerBytes)
	for name, each := range map[string]struct {
		answer func(net.Conn)
		given  string
	}{
		"good":      {said("200 OK\r\nContent-Length: 2", "{}"), "OK {}"},
		"refused":   {said("403 Forbidden\r\nContent-Length: 2", "{}"), "Forbidden {}"},
		"redirect":  {said("302 Found\r\nLocation: "+other+"\r\nContent-Length: 1", "x"), "Found x"},
		"half":      {said("200 OK\r\nContent-Length: 9", "{}"), "network"},
		"chunks":    {said("200 OK\r\nTransfer-Encoding: chunked", "9\r\n{}"), "network"},
		"nothing":   {func(net.Conn) {}, "network"},
		"full":      {said("200 OK\r\nContent-Length: 65536", full), "OK " + full},
		"too large": {said("200 OK\r\nContent-Length: 65537", full+" "), "network"},
		"endless":   {said("200 OK", full+full), "network"},
	} {
		if given := ask(t, each.answer, 10*time.Second); given != each.given {
			t.Errorf("%s: %.80s", name, given)
		}
	}
	if asked() > 0 {
		t.Error("a redirect was followed")
	}
}

func TestAnAnswerByteByByteEndsInTime(t *testing.T) {
	drip := func(connection net.Conn) {
		said("200 OK\r\nContent-Length: 100000", "")(connection)
		for err := error(nil); err == nil; time.Sleep(5 * time.Millisecond) {
			_, err = connection.Write([]byte(" "))
		}
	}
	if given := ask(t, drip, 200*time.Millisecond); given != "timeout" {
		t.Errorf("byte by byte: %s", given)
	}
}
