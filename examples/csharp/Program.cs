// A licensed program: `dotnet run -- activate KEY`, `dotnet run -- check`, `dotnet run -- deactivate`.
using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

var sentences = new Dictionary<string, string>
{
    ["unlicensed"] = "Please enter your license key.",
    ["licensed"] = "Licensed.",
    ["grace"] = "The license server cannot be reached. You can keep working.",
    ["lapsed"] = "Your license could not be checked. Please connect to the internet once.",
    ["released"] = "Your license is in use on as many machines as it allows.",
    ["license_not_found"] = "This license key is unknown. Please check it for typing mistakes.",
    ["wrong_product"] = "This key is for another product.",
    ["license_expired"] = "Your license has expired. Please renew it; your key stays the same.",
    ["license_revoked"] = "This license has been revoked. Please write to support.",
    ["machine_limit"] = "Your license is in use on as many machines as it allows.",
    ["activation_rate"] = "Too many attempts. Please try again later.",
    ["no_answer"] = "The license server cannot be reached. Please try again later.",
};

var settings = JsonSerializer.Deserialize<Settings>(
    File.ReadAllText("settings.json"), new JsonSerializerOptions(JsonSerializerDefaults.Web))!;
var licensing = new Licensing(settings, MachineFingerprint(settings.ProductId), Environment.MachineName, "license.json");

if (args is ["deactivate"])
{
    var isFree = await licensing.Deactivate();
    Console.WriteLine(isFree ? "This machine is free." : "The license server cannot be reached.");
    return isFree ? 0 : 1;
}
var verdict = args is ["activate", var licenseKey] ? await licensing.Activate(licenseKey) : await licensing.Check();
Console.WriteLine(
    sentences.GetValueOrDefault(
        verdict.Code ?? verdict.Status, "Your license cannot be used. Please write to support."));
return verdict.MayRun ? 0 : 1;

// The id that the operating system keeps, hashed with the product, so that it tells other vendors nothing.
static string MachineFingerprint(string productId)
{
    var (program, arguments) =
        OperatingSystem.IsWindows() ? ("reg", @"query HKLM\SOFTWARE\Microsoft\Cryptography /v MachineGuid")
        : OperatingSystem.IsMacOS() ? ("ioreg", "-rd1 -c IOPlatformExpertDevice")
        : ("cat", "/etc/machine-id");
    using var command = Process.Start(
        new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, UseShellExecute = false })!;
    var printed = command.StandardOutput.ReadToEnd();
    var id = Regex.Match(printed, "[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}").Value;
    if (id == "") throw new InvalidOperationException("this system has no id that is known here");
    return Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes($"{productId}:{id}")));
}
