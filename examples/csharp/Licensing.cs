using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;

/// <summary>What an app has compiled in. Ca: a file with the server's certificate, where no known authority signed it.</summary>
public sealed record Settings(
    string Server, string ProductId, string Issuer, IReadOnlyList<SigningKey> PublicKeys, string? Ca = null);

public sealed record SigningKey(string Kid, string X);

/// <summary>What the program may do, and why. Status is unlicensed, licensed, grace, lapsed, released or refused.</summary>
public sealed record Verdict(string Status, string? Code = null)
{
    public bool MayRun => Status is "licensed" or "grace";
}

/// <summary>What is stored between starts. Times are seconds since 1970.</summary>
public sealed record State
{
    public string? LicenseKey { get; init; }
    public string? Token { get; init; }
    public string? File { get; init; }
    public string? Refusal { get; init; }
    public long Seen { get; init; }
    public long ActivatedAgainAt { get; init; }
}

/// <summary>
/// Licenses a program with a Latchkey server, by the policy of docs/apps/integrating.md. Needs .NET 8 and the package
/// NSec.Cryptography. One call at a time.
/// </summary>
public sealed class Licensing
{
    private const long Hour = 3_600;
    private const long Day = 24 * Hour;
    private const int MaxAnswerBytes = 65_536;

    /// <summary>Refusals that lock the program until the server accepts the license again.</summary>
    private static readonly HashSet<string> Locking = ["license_revoked", "license_expired", "wrong_product"];

    /// <summary>
    /// Refusals after which the program activates by itself, once an hour: all machines share 15 attempts an hour.
    /// </summary>
    private static readonly HashSet<string> ActivateAgain = ["machine_not_activated", "invalid_token", "token_mismatch"];

    private static readonly JsonSerializerOptions Names = new(JsonSerializerDefaults.Web);

    private readonly Settings settings;
    private readonly string fingerprint;
    private readonly string hostname;
    private readonly string statePath;
    private readonly Func<long> clock;
    private readonly HttpClient http;
    private readonly Dictionary<string, string> keys;
    private State state;

    /// <summary>When the server last accepted the license in this process.</summary>
    private long? answeredAt;

    /// <param name="clock">Seconds since 1970; the machine's clock unless given.</param>
    public Licensing(Settings settings, string fingerprint, string hostname, string statePath, Func<long>? clock = null)
    {
        if (!settings.Server.StartsWith("https://", StringComparison.Ordinal))
            throw new ArgumentException("server is not an https address");
        this.settings = settings;
        this.fingerprint = fingerprint;
        this.hostname = hostname;
        this.statePath = statePath;
        this.clock = clock ?? (() => DateTimeOffset.UtcNow.ToUnixTimeSeconds());
        keys = settings.PublicKeys.ToDictionary(key => key.Kid, key => key.X);
        state = Load();
        // The server never redirects; a sign-in page of a network does.
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false };
        if (settings.Ca is not null)
        {
            var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust };
            policy.RevocationMode = X509RevocationMode.NoCheck;
            policy.CustomTrustStore.ImportFromPemFile(settings.Ca);
            handler.SslOptions.CertificateChainPolicy = policy;
        }
        http = new HttpClient(handler)
        {
            Timeout = TimeSpan.FromSeconds(10),
            MaxResponseContentBufferSize = MaxAnswerBytes,
        };
    }

    /// <summary>The user entered a key. A key that is refused changes nothing that is stored.</summary>
    public async Task<Verdict> Activate(string licenseKey)
    {
        licenseKey = licenseKey.Trim();
        var answer = await AskToActivate(licenseKey);
        if (answer.Reply is not null) return await Accepted(licenseKey, answer);
        if (licenseKey == state.LicenseKey) return NotAccepted(answer);
        return new Verdict(WithoutAnswer().Status, answer.Code ?? "no_answer");
    }

    /// <summary>Asks the server: at each start of the program, and once a day while it runs.</summary>
    public async Task<Verdict> Check()
    {
        if (state.LicenseKey is not { } licenseKey || state.Token is not { } token) return new Verdict("unlicensed");
        var answer = await Ask("/validate", new() { ["licenseKey"] = licenseKey, ["token"] = token });
        var now = Now();
        if (ActivateAgain.Contains(answer.Code ?? "") && Math.Abs(now - state.ActivatedAgainAt) >= Hour)
        {
            Keep(state with { ActivatedAgainAt = now });
            answer = await AskToActivate(licenseKey);
        }
        if (answer.Reply is not null) return await Accepted(licenseKey, answer);
        return NotAccepted(answer);
    }

    /// <summary>
    /// Frees the slot of this machine and forgets the license. False without an answer: then nothing has changed.
    /// </summary>
    public async Task<bool> Deactivate()
    {
        if (state.LicenseKey is { } licenseKey && state.Token is { } token)
        {
            var answer = await Ask("/deactivate", new() { ["licenseKey"] = licenseKey, ["token"] = token });
            var code = answer.Code ?? "";
            var isOver = Locking.Contains(code) || ActivateAgain.Contains(code) || code == "license_not_found";
            if (answer.Reply is null && !isOver) return false;
        }
        answeredAt = null;
        Keep(new State { Seen = state.Seen, ActivatedAgainAt = state.ActivatedAgainAt });
        return true;
    }

    /// <summary>The server accepts the license: a remembered refusal is over, and its time replaces what was seen.</summary>
    private async Task<Verdict> Accepted(string licenseKey, Answer answer)
    {
        var seen = answer.Time ?? Now();
        answeredAt = seen;
        var token = TextIn(answer.Reply, "newToken") ?? TextIn(answer.Reply, "token") ?? state.Token ?? "";
        Keep(state with { LicenseKey = licenseKey, Token = token, Refusal = null, Seen = seen });
        var claims = Read(state.File);
        if (claims is null || seen >= TimeIn(claims, "renewAfter") || TimeIn(claims, "iat") > seen + Day)
        {
            var fetched = await Ask("/issueLicenseFile", new() { ["licenseKey"] = licenseKey, ["token"] = token });
            var file = TextIn(fetched.Reply, "licenseFile");
            if (Read(file) is not null) Keep(state with { File = file });
        }
        return new Verdict("licensed");
    }

    /// <summary>
    /// A refusal is remembered, and a slot that is gone ends the grace. Anything else says nothing of the license.
    /// </summary>
    private Verdict NotAccepted(Answer answer)
    {
        if (Locking.Contains(answer.Code ?? ""))
        {
            answeredAt = null;
            Keep(state with { Refusal = answer.Code, File = null });
        }
        else if (answer.Code == "machine_limit")
        {
            answeredAt = null;
            Keep(state with { File = null });
            return new Verdict("released");
        }
        return WithoutAnswer();
    }

    /// <summary>Without an answer a refusal stays in force, and a good license file lets the program go on.</summary>
    private Verdict WithoutAnswer()
    {
        if (state.LicenseKey is null) return new Verdict("unlicensed");
        var now = Now();
        Keep(state with { Seen = now });
        if (state.Refusal is not null) return new Verdict("refused", state.Refusal);
        var claims = Read(state.File);
        var hasFile = claims is not null && (TimeIn(claims, "exp") ?? long.MaxValue) > now;
        var wasAccepted = answeredAt is { } at && now < at + Day;
        return new Verdict(hasFile || wasAccepted ? "grace" : "lapsed");
    }

    /// <summary>Never earlier than any time that is known to have passed, so that setting the clock back gains nothing.</summary>
    private long Now() => Math.Max(clock(), Math.Max(state.Seen, TimeIn(Read(state.File), "iat") ?? 0));

    /// <summary>The claims of a file, which may have expired; null if it is not genuine.</summary>
    private JsonElement? Read(string? file) =>
        file is null
            ? null
            : LicenseFile.Read(file, new Expected(settings.Issuer, keys, settings.ProductId, fingerprint, Now: 0));

    private static long? TimeIn(JsonElement? claims, string name) =>
        claims is { } all && all.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number
            ? value.GetInt64()
            : null;

    private static string? TextIn(JsonElement? reply, string name) =>
        reply is { } all && all.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;

    /// <summary>An answer of the server: Reply if it accepts, Code if it refuses, neither without an answer.</summary>
    private sealed record Answer(JsonElement? Reply = null, string? Code = null, long? Time = null);

    private Task<Answer> AskToActivate(string licenseKey) =>
        Ask("/activate", new()
        {
            ["licenseKey"] = licenseKey,
            ["hostname"] = hostname,
            ["productId"] = settings.ProductId,
        });

    private async Task<Answer> Ask(string path, Dictionary<string, string> fields)
    {
        fields["machineFingerprint"] = fingerprint;
        try
        {
            using var body = new StringContent(JsonSerializer.Serialize(fields), Encoding.UTF8, "application/json");
            using var response = await http.PostAsync(settings.Server + path, body);
            var answer = JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync()).RootElement;
            if (answer.ValueKind != JsonValueKind.Object) return new Answer();
            if (!answer.TryGetProperty("success", out var flag) && !answer.TryGetProperty("valid", out flag))
                return new Answer();
            if (flag.ValueKind == JsonValueKind.True && response.StatusCode == HttpStatusCode.OK)
                return new Answer(Reply: answer, Time: response.Headers.Date?.ToUnixTimeSeconds());
            var isRefusal = flag.ValueKind == JsonValueKind.False && (int)response.StatusCode is >= 400 and < 500;
            if (isRefusal && response.Headers.TryGetValues("Latchkey-Code", out var codes))
                return new Answer(Code: codes.First());
            return new Answer();
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException or JsonException)
        {
            return new Answer();
        }
    }

    private State Load()
    {
        try
        {
            return JsonSerializer.Deserialize<State>(File.ReadAllText(statePath), Names) ?? new State();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or JsonException)
        {
            return new State();
        }
    }

    /// <summary>Replaces the state as a whole. A disk that is full must not stop a customer.</summary>
    private void Keep(State changed)
    {
        state = changed;
        try
        {
            File.WriteAllText(statePath + ".new", JsonSerializer.Serialize(state, Names));
            File.Move(statePath + ".new", statePath, overwrite: true);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
        }
    }
}
