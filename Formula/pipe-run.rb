class PipeRun < Formula
  desc "Loads data through declared tiers"
  homepage "https://github.com/pipe-run/pipe-run"
  url "https://github.com/pipe-run/pipe-run.git", tag: "v0.1.0"
  license "Apache-2.0"
  head "https://github.com/pipe-run/pipe-run.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "hiredis"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "swift" => :build
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "pipe-run"
    bin.install ".build/release/pipe-run"
    man1.install "docs/pipe-run.1"
    generate_completions_from_executable(bin/"pipe-run", "completions")
  end

  test do
    (testpath/"pipeline.yaml").write <<~YAML
      sources: { fixed: { type: inline, value: [Ada] } }
      pipelines: { friends: { tiers: [fixed] } }
    YAML
    system bin/"pipe-run", "validate"
    assert_equal '["Ada"]', shell_output("#{bin}/pipe-run fetch friends").strip
  end
end
