// Licenses a game. Put it on an object of the first scene. While the player may not play, show the sentence and a field
// for the key.
using System.IO;
using Latchkey;
using UnityEngine;

public sealed class LicenseComponent : MonoBehaviour
{
    // Constants in a game of your own.
    public string server = "https://licenses.example.com";
    public string productId = "app";
    public string issuer = "";
    public string keyId = "";
    public string key = "";

    private LatchkeyClient license;

    public bool MayPlay
    {
        get { return license != null && license.MayRun; }
    }

    public string Sentence { get; private set; }

    private async void Start()
    {
        DontDestroyOnLoad(gameObject);
        license = new LatchkeyClient(new LatchkeyOptions
        {
            Servers = new[] { server },
            ProductId = productId,
            Issuer = issuer,
            PublicKeys = keyId == "" ? new PublicKey[0] : new[] { new PublicKey(keyId, key) },
            // It lasts over updates of the game on every platform, phones included.
            Directory = Path.Combine(Application.persistentDataPath, "license"),
            Hostname = SystemInfo.deviceName,
            Version = Application.version,
            Transport = new UnityWebRequestTransport(),
            Log = text => Debug.LogWarning(text),
        });
        // It comes in the main thread, in which the client was created.
        license.Changed += (sender, change) => Show(change.Present);
        Show(await license.StartAsync());
    }

    /// <summary>The user has entered a key.</summary>
    public async void Enter(string licenseKey)
    {
        try
        {
            Show(await license.ActivateAsync(licenseKey));
        }
        catch (RefusedException refused)
        {
            Sentence = SentenceOfRefusal(refused.Code);
        }
        catch (UnreachableException)
        {
            Sentence = "The license server cannot be reached. Please try again later.";
        }
    }

    /// <summary>The user moves to another machine.</summary>
    public async void Leave()
    {
        try
        {
            await license.DeactivateAsync();
        }
        catch (UnreachableException)
        {
            Sentence = "The license server cannot be reached. Please try again later.";
        }
    }

    private async void OnApplicationQuit()
    {
        // The key stays stored. Unity may end before a floating seat is given back, which then ends by itself.
        if (license != null) await license.CloseAsync();
    }

    private void Show(LicenseState state)
    {
        Sentence = SentenceOf(state);
    }

    private static string SentenceOf(LicenseState state)
    {
        switch (state.Status)
        {
            case LicenseStatus.Licensed:
                return "Licensed, key ending in " + state.Facts.LicenseKeyHint + ".";
            case LicenseStatus.Grace:
                return "The license server cannot be reached. You can keep playing until "
                    + state.Until.Value.ToString("D") + ".";
            case LicenseStatus.Lapsed:
                return "Your license could not be checked. Please connect to the internet once.";
            case LicenseStatus.Waiting:
                return "All seats are in use. You will get the next free one.";
            case LicenseStatus.Released:
                return "Your license was moved to another machine.";
            case LicenseStatus.Refused:
                return SentenceOfRefusal(state.Why);
            default:
                return "Please enter your license key.";
        }
    }

    private static string SentenceOfRefusal(string code)
    {
        switch (code)
        {
            case "license_not_found":
                return "This license key is unknown. Please check it for typing mistakes.";
            case "wrong_product":
                return "This key is for another product.";
            case "license_expired":
                return "Your license has expired. Please renew it; your key stays the same.";
            case "license_replaced":
                return "Your license has a new key. Please enter it; you find it in an e-mail.";
            case "update_not_covered":
                return "Your license does not cover this version.";
            case "machine_limit":
                return "Your license is in use on as many machines as it allows.";
            case "activation_rate":
                return "Too many attempts. Please try again later.";
            default:
                return "This license has been revoked. Please write to support.";
        }
    }
}
