// A server with a site license, of which a customer may run any number. Its key comes from its configuration. It starts
// even if the license server cannot be reached. In containers, give it a fingerprint of your own or mount its state as a
// volume.
package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"example.com/latchkey"
)

var sentences = map[string]string{
	"license_not_found": "This license key is unknown. Please check it for typing mistakes.",
	"wrong_product":     "This key is for another product.",
	"license_expired":   "Your license has expired. Please renew it; your key stays the same.",
	"license_replaced":  "Your license has a new key. Please enter it; you find it in an e-mail.",
	"license_revoked":   "This license has been revoked. Please write to support.",
	"machine_limit":     "Your license is in use on as many machines as it allows.",
	"activation_rate":   "Too many attempts. Please try again later.",
}

// options are constants in an app of your own. Here they come from the environment, so that this runs against any
// service.
func options() (latchkey.Options, error) {
	wanted := latchkey.Options{
		Server:    []string{os.Getenv("LATCHKEY_SERVER")},
		ProductID: "app",
		// Where the state is kept; without it a folder of the user's.
		Directory: os.Getenv("LATCHKEY_STATE"),
		OnChange:  func(_, present latchkey.State) { log.Printf("license: %s", present.Status) },
	}
	if instance := os.Getenv("INSTANCE"); instance != "" {
		wanted.Fingerprint = func() (string, error) { return instance, nil }
	}
	// What `npm run latchkey -- list-signing-keys --for-app` prints.
	if keys := os.Getenv("LATCHKEY_KEYS"); keys != "" {
		var trust struct {
			Issuer     string
			PublicKeys []latchkey.PublicKey
		}
		if err := json.Unmarshal([]byte(keys), &trust); err != nil {
			return wanted, fmt.Errorf("LATCHKEY_KEYS: %w", err)
		}
		wanted.Issuer, wanted.PublicKeys = trust.Issuer, trust.PublicKeys
	}
	// Only for a service whose certificate no known authority has signed.
	if path := os.Getenv("LATCHKEY_CA"); path != "" {
		certificate, err := os.ReadFile(path)
		if err != nil {
			return wanted, err
		}
		wanted.Roots = x509.NewCertPool()
		wanted.Roots.AppendCertsFromPEM(certificate)
	}
	return wanted, nil
}

// activateUntilHeard tries again each minute while the license server cannot be reached.
func activateUntilHeard(ctx context.Context, client *latchkey.Client, licenseKey string) {
	for {
		_, err := client.Activate(ctx, licenseKey)
		var refused *latchkey.Refused
		switch {
		case err == nil:
			return
		case errors.As(err, &refused):
			log.Print(sentences[refused.Code])
			return
		}
		log.Print("The license server cannot be reached. Please check your connection.")
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return
		}
	}
}

// onlyLicensed lets everybody read, and only licensed servers write.
func onlyLicensed(client *latchkey.Client, next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodGet && !client.MayRun() {
			http.Error(response, "this server is not licensed: "+string(client.State().Status), http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(response, request)
	})
}

// notes keeps notes in memory.
type notes struct {
	mutex sync.Mutex
	texts []string
}

func (notes *notes) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	notes.mutex.Lock()
	defer notes.mutex.Unlock()
	if request.Method == http.MethodPost {
		notes.texts = append(notes.texts, fmt.Sprintf("note %d", len(notes.texts)+1))
	}
	_ = json.NewEncoder(response).Encode(notes.texts)
}

func run(ctx context.Context) error {
	wanted, err := options()
	if err != nil {
		return err
	}
	client, err := latchkey.New(wanted)
	if err != nil {
		return err
	}
	defer client.Close(context.Background())
	if client.Start(ctx).Status == latchkey.Unlicensed {
		go activateUntilHeard(ctx, client, os.Getenv("LICENSE_KEY"))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		return err
	}
	log.Printf("listening on %s", listener.Addr())
	server := &http.Server{Handler: onlyLicensed(client, &notes{}), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}
