//! A desktop tool that keeps notes; a terminal is its window. Everybody may read the notes, and a licensed machine may add
//! some. The user enters a key, starts a trial, imports a license file, and frees the machine.

use latchkey::{Client, Error, Options, State, Status};
use std::env;
use std::fs;
use std::io::{self, BufRead};

/// Options are constants in an app of your own. Here they come from the environment, so that this runs against any service.
fn options() -> Result<Options, Box<dyn std::error::Error>> {
    let mut options = Options::new(env::var("LATCHKEY_SERVER")?, "app");
    options.version = Some(env!("CARGO_PKG_VERSION").into());
    // Where the state is kept; without it a folder of the user's.
    options.directory = env::var_os("LATCHKEY_STATE").map(Into::into);
    // What `npm run latchkey -- list-signing-keys --for-app` prints.
    if let Ok(keys) = env::var("LATCHKEY_KEYS") {
        let keys: latchkey::Value = keys.parse()?;
        let pairs = keys["publicKeys"].as_array().into_iter().flatten();
        let pairs: Vec<_> = pairs.filter_map(|key| Some((key["kid"].as_str()?, key["x"].as_str()?))).collect();
        options.trust(keys["issuer"].as_str().unwrap_or_default(), &pairs);
    }
    // Only for a service whose certificate no known authority has signed.
    if let Some(path) = env::var_os("LATCHKEY_CA") {
        options.transport(latchkey::HttpTransport::with_roots(&fs::read(path)?)?);
    }
    options.on_change(|_, present| println!("[{}]", title_of(present)));
    options.log(|line| eprintln!("{line}"));
    Ok(options)
}

fn title_of(state: &State) -> String {
    match &state.status {
        Status::Unlicensed => "Notes: please enter your license key".into(),
        Status::Licensed { .. } => "Notes".into(),
        Status::Grace { until, .. } => format!("Notes: no license server, please connect until {until:.10}"),
        Status::Lapsed { .. } => "Notes: please connect to the internet once".into(),
        Status::Waiting => "Notes: all seats are in use, you will get the next free one".into(),
        Status::Released => "Notes: your license was moved to another machine".into(),
        Status::Refused { why, .. } => format!("Notes: {}", sentence_of(why)),
    }
}

fn sentence_of(code: &str) -> &str {
    match code {
        "license_not_found" => "this license key is unknown, please check it for typing mistakes",
        "wrong_product" => "this key is for another product",
        "license_expired" => "your license has expired, please renew it; your key stays the same",
        "license_replaced" => "your license has a new key, please enter it; you find it in an e-mail",
        "license_revoked" => "this license has been revoked, please write to support",
        "update_not_covered" => "your license does not cover this version",
        "machine_limit" => "your license is in use on as many machines as it allows",
        "trial_not_offered" => "this app has no trial, please enter a license key",
        "trial_over" => "your trial has ended, please buy a license",
        "activation_rate" | "trial_rate" => "too many attempts, please try again later",
        _ => "the license server refused this",
    }
}

fn show(done: Result<State, Error>) {
    match done {
        Ok(_) => {}
        Err(Error::Refused(refused)) => println!("{}", sentence_of(&refused.code)),
        Err(Error::Unreachable(_)) => println!("the license server cannot be reached, please try again"),
        Err(error) => println!("{error}"),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(options()?)?;
    println!("[{}]", title_of(&client.start()));
    let mut notes: Vec<String> = Vec::new();
    println!("add NOTE, list, key KEY, trial, request KEY, file PATH, free, quit");
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match command {
            "add" if client.may_run() => notes.push(rest.into()),
            "add" => println!("[{}]", title_of(&client.state())),
            "list" => println!("{}", notes.join("\n")),
            "key" => show(client.activate(rest)),
            "trial" => show(client.start_trial(None, None)),
            "request" => println!("{}", client.export_request(rest)?),
            "file" => match fs::read_to_string(rest) {
                Ok(text) => show(client.import_file(&text)),
                Err(error) => println!("{error}"),
            },
            "free" => show(client.deactivate().map(|()| client.state())),
            "quit" => break,
            _ => println!("unknown: {command}"),
        }
    }
    client.close();
    Ok(())
}
